"""Takes a protection group through its life cycle with the vendor's Python SDK for vSAN Data Protection.

LAB_URL and LAB_CA_FILE name the appliance, LAB_STS, LAB_STS_CA_FILE, LAB_USER and LAB_PASSWORD the STS of its vCenter,
LAB_CLUSTER, LAB_PAIR and LAB_TAG objects of them, LAB_CONTRACT the file with the types of the REST interface. LAB_CONTROL is an
address that changes the lab.
"""

import base64
import gzip
import json
import os
import re

import requests
from com.vmware.snapservice_client import (
    ClusterPairs, LogicalOperator, ProtectionGroups as Previews, ProtectionGroupSpec, ProtectionGroupUpdateSpec,
    ReplicationPolicy, RetentionPolicy, ShortTermRetention, TagRule, TargetEntities, Tasks, TimePeriod, TimeUnit,
)
from com.vmware.snapservice.clusters_client import ProtectionGroups, VirtualMachines
from com.vmware.snapservice.info_client import About
from com.vmware.vapi.std.errors_client import AlreadyInDesiredState, Unsupported
from vmware.vapi.lib.connect import get_requests_connector
from vmware.vapi.security.client.security_context_filter import LegacySecurityContextFilter
from vmware.vapi.security.sso import create_saml_bearer_security_context
from vmware.vapi.stdlib.client.factories import StubConfigurationFactory


class REST(requests.adapters.HTTPAdapter):
    """Converts the SDK's JSON-RPC calls to requests of the REST interface, using the types of the contract."""

    def __init__(self):
        super().__init__()
        with open(os.environ["LAB_CONTRACT"], encoding="utf-8") as file:
            self.contract = json.load(file)
        self.session = None

    def request(self, method, path, headers, query=None, body=None, **options):
        prepared = requests.Request(
            method, os.environ["LAB_URL"] + "/api" + path, headers=headers, params=query, json=body
        ).prepare()
        return super().send(prepared, **options)

    def login(self, token, **options):
        header = base64.b64encode(gzip.compress(token.encode())).decode()
        answer = self.request("POST", "/snapservice/sessions", {"Authorization": f'SIGN token="{header}"'}, **options)
        return {"vmware-api-session-id": answer.json()}

    def send(self, request, **options):
        message = json.loads(request.body)
        call = message["params"]
        self.session = self.session or self.login(call["ctx"]["securityCtx"]["samlToken"], **options)
        operation, task, _ = (call["operationId"] + "$").partition("$task")
        name = call["serviceId"].removeprefix("com.vmware.") + "." + operation.rstrip("$")
        described = self.contract["operations"][name]
        given = plain(call["input"])
        method, path = described["call"].split(" ")
        for key in described.get("path", {}):
            path = path.replace("{" + key + "}", given.pop(key))
        query = {"vmw-task": "true"} if task else {}
        body = None
        for value in given.values():  # a specification becomes the body, the fields of a filter become parameters
            if "body" in described:
                body = value
            elif isinstance(value, dict):
                query.update(value)
        answer = self.request(method, path, self.session, query, body, **options)
        if answer.status_code >= 400:
            error = answer.json()
            kind = "com.vmware.vapi.std.errors." + error["error_type"].lower()
            result = {"error": {"ERROR": {kind: {
                "messages": [self.typed("vapi.std.localizable_message", m) for m in error["messages"]],
                "data": {"OPTIONAL": None}, "error_type": {"OPTIONAL": error["error_type"]},
            }}}}
        else:
            result = {"output": self.typed(described["answers"][str(answer.status_code)], answer.json())}
        answer.status_code = 200
        answer._content = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        answer.headers = requests.structures.CaseInsensitiveDict({"Content-Type": "application/json"})
        return answer

    def typed(self, kind, value):
        """Converts a JSON value to the SDK's protocol."""
        kind = kind.removeprefix("required ")
        if kind in self.contract["types"]:
            fields = {}
            for name, of in self.contract["types"][kind]["fields"].items():
                there = name in value
                field = self.typed(of, value[name]) if there else None
                if not of.startswith("required "):
                    field = {"OPTIONAL": field}
                elif not there:
                    raise SystemExit(f"{kind} has no {name}: {value}")
                fields[name] = field
            return {"STRUCTURE": {"com.vmware." + kind: fields}}
        for collection in ("list of ", "set of "):
            if kind.startswith(collection):
                return [self.typed(kind.removeprefix(collection), v) for v in value]
        return value


def plain(value):
    """Converts a value of the SDK's protocol to JSON, without unset fields."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "OPTIONAL" in value:
        return plain(value["OPTIONAL"])
    (fields,) = value["STRUCTURE"].values()
    return {name: plain(v) for name, v in fields.items() if v != {"OPTIONAL": None}}


def token():
    """Requests a token from the STS with a password."""
    envelope = f"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><o:Security
xmlns:o="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"><o:UsernameToken>
<o:Username>{os.environ["LAB_USER"]}</o:Username><o:Password>{os.environ["LAB_PASSWORD"]}</o:Password>
</o:UsernameToken></o:Security></s:Header><s:Body><RequestSecurityToken
xmlns="http://docs.oasis-open.org/ws-sx/ws-trust/200512"/></s:Body></s:Envelope>"""
    action = '"http://docs.oasis-open.org/ws-sx/ws-trust/200512/RST/Issue"'
    headers = {"Content-Type": "text/xml", "SOAPAction": action}
    verify = os.environ["LAB_STS_CA_FILE"]
    answer = requests.post(os.environ["LAB_STS"], data=envelope, headers=headers, verify=verify)
    answer.raise_for_status()
    return re.search(r"<(\w+:)?Assertion.*</(\w+:)?Assertion>", answer.text, re.DOTALL).group(0)


def check(what, got, want):
    if got != want:
        raise SystemExit(f"{what}: got {got!r}, want {want!r}")


def refused(kind, call, *args):
    try:
        call(*args)
    except kind:
        return
    raise SystemExit(f"{call} was not refused with {kind.__name__}")


def main():
    http = requests.Session()
    http.verify = os.environ["LAB_CA_FILE"]
    context = create_saml_bearer_security_context(token())
    http.mount(os.environ["LAB_URL"], REST())
    connector = get_requests_connector(
        session=http, url=os.environ["LAB_URL"] + "/snapservice",
        provider_filter_chain=[LegacySecurityContextFilter(security_context=context)],
    )
    config = StubConfigurationFactory.new_std_configuration(connector)
    groups, tasks, cluster = ProtectionGroups(config), Tasks(config), os.environ["LAB_CLUSTER"]

    def control(change):
        requests.post(os.environ["LAB_CONTROL"] + "/" + change).raise_for_status()

    def done(task):
        control("advance/1m")
        check("the task", str(tasks.get(task).status), "SUCCEEDED")

    def replicated(rpo):
        return [ReplicationPolicy(
            cluster_pair=os.environ["LAB_PAIR"],
            recovery_point_objective=TimePeriod(unit=TimeUnit.MINUTE, duration=rpo),
            snapshot_retention=RetentionPolicy(short_term=ShortTermRetention(keep_last=1)),
        )]

    def named(name):
        return groups.list(cluster, ProtectionGroups.FilterSpec(names={name})).items

    def states():
        return [vm.info.remote_protection_info.outgoing_replications[0]
                for vm in VirtualMachines(config).list(cluster).items if vm.info.protection_groups]

    check("the version", About(config).get().version[:3], "9.1")
    check("the pair", [p.cluster_pair for p in ClusterPairs(config).list().items if p.info.local_cluster.cluster == cluster],
          [os.environ["LAB_PAIR"]])
    tagged = TargetEntities(tag_rules=[TagRule(operator=LogicalOperator.AND, tags=[os.environ["LAB_TAG"]])])
    gold = ProtectionGroupSpec(name="gold", target_entities=tagged, replication_policies=replicated(15))
    preview = Previews(config).compute_members(Previews.ComputeMembersSpec(cluster_id=cluster, create_spec=gold))
    check("VMs of the preview", len(preview.included_vms), 2)
    done(groups.create_task(cluster, gold).get_task_id())
    (item,) = named("gold")
    check("members", len(item.info.vms), 2)
    control("tag")
    check("members after a third VM was tagged", len(groups.get(cluster, item.pg).vms), 3)
    control("advance/1h")
    check("states", {(str(s.status), s.rpo_violation) for s in states()}, {("OK", None)})
    control("cut")
    control("advance/1h")
    check("minutes of the violations", {s.rpo_violation.duration for s in states()}, {45})
    update = lambda spec: groups.update_task(cluster, item.pg, spec).get_task_id()
    done(update(ProtectionGroupUpdateSpec(replication_policies=replicated(60))))
    check("the RPO", named("gold")[0].info.replication_policies[0].recovery_point_objective.duration, 60)
    done(groups.pause_task(cluster, item.pg).get_task_id())
    refused(AlreadyInDesiredState, groups.pause_task, cluster, item.pg)
    done(update(ProtectionGroupUpdateSpec(locked=True)))
    refused(Unsupported, groups.update_task, cluster, item.pg, ProtectionGroupUpdateSpec(name="silver"))
    done(groups.create_task(cluster, ProtectionGroupSpec(name="bronze", target_entities=tagged)).get_task_id())
    (other,) = named("bronze")
    control("snapshot")
    done(groups.delete_task(cluster, other.pg).get_task_id())
    check("groups", sorted((g.info.name, str(g.info.status)) for g in groups.list(cluster).items),
          [("bronze", "MARKED_FOR_DELETE"), ("gold", "PAUSED")])
    print("a group from its preview to its lock")


main()
