"""Takes a category, a tag and an association through their life cycle with the vendor's Python SDK over REST.

LAB_URL, LAB_USER, LAB_PASSWORD and LAB_CA_FILE name the vCenter, LAB_VM a VM of it by its id.
"""

import json
import os

import requests
from com.vmware.cis.tagging_client import Category, CategoryModel, Tag, TagAssociation
from com.vmware.cis_client import Session
from com.vmware.vapi.std.errors_client import AlreadyExists, NotFound, Unauthenticated
from com.vmware.vapi.std_client import DynamicID
from com.vmware.vcenter.tagging_client import Associations, Categories, Tags
from com.vmware.vcenter.topology_client import Nodes
from vmware.vapi.lib.connect import get_requests_connector
from vmware.vapi.security.session import create_session_security_context
from vmware.vapi.security.user_password import create_user_password_security_context
from vmware.vapi.stdlib.client.factories import StubConfigurationFactory


class Envelope(requests.adapters.HTTPAdapter):
    """Wraps responses of /api in the envelope that the SDK's REST protocol expects. Requests are not changed."""

    def send(self, request, **options):
        response = super().send(request, **options)
        if response.content:
            body = response.json()
            envelope = {"value": body}
            if response.status_code >= 400:
                envelope["type"] = "com.vmware.vapi.std.errors." + body["error_type"].lower()
            response._content = json.dumps(envelope).encode()
        return response


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
    http.mount(os.environ["LAB_URL"], Envelope())
    connector = get_requests_connector(session=http, msg_protocol="rest", url=os.environ["LAB_URL"] + "/api")
    config = StubConfigurationFactory.new_std_configuration(connector)
    user = os.environ["LAB_USER"]
    connector.set_security_context(create_user_password_security_context(user, os.environ["LAB_PASSWORD"]))
    session = Session(config)
    connector.set_security_context(create_session_security_context(session.create()))
    check("the user of the session", session.get().user, user)

    categories, tags, associations = Category(config), Tag(config), TagAssociation(config)
    spec = Category.CreateSpec("tier", "what is promised", CategoryModel.Cardinality.SINGLE, {"VirtualMachine"})
    category = categories.create(spec)
    refused(AlreadyExists, categories.create, spec)
    check("the category", categories.get(category).name, "tier")
    gold = tags.create(Tag.CreateSpec("gold", "", category))
    tags.update(gold, Tag.UpdateSpec(description="15 minutes"))
    check("the description", tags.get(gold).description, "15 minutes")
    check("the tags of the category", tags.list_tags_for_category(category), [gold])
    refused(NotFound, tags.get, "urn:vmomi:InventoryServiceTag:nothing:GLOBAL")

    vm = DynamicID(type="VirtualMachine", id=os.environ["LAB_VM"])
    associations.attach(gold, vm)
    check("the tags of the VM", associations.list_attached_tags(vm), [gold])
    check("the objects", [o.id for o in associations.list_attached_objects(gold)], [vm.id])
    check("the batch", associations.detach_tag_from_multiple_objects(gold, [vm]).success, True)
    check("the tags of both", associations.list_attached_tags_on_objects([vm])[0].tag_ids, [])

    check("the names of tags", [t.info.name for t in Tags(config).list().items], ["gold"])
    check("the names of categories", [c.info.name for c in Categories(config).list().items], ["tier"])
    attach = Associations.TagSpec(operation=Associations.Operation.ATTACH, tag_id=gold)
    check("the patch", Associations(config).update(Associations.UpdateSpec(object=vm, tag_spec_list=[attach])).success, True)
    check("all associations", [a.tag for a in Associations(config).list().associations], [gold])
    check("the vCenters", len(Nodes(config).list()), 1)

    tags.delete(gold)
    categories.delete(category)
    check("what is left", categories.list() + tags.list(), [])
    session.delete()
    refused(Unauthenticated, tags.list)
    print("the Python SDK found everything as its description says")


main()
