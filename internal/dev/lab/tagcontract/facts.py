"""Prints the contract of vCenter's tagging, sessions and topology below /api, read from the vendor's Python SDK.

`make tag-contract` installs the SDK (package vmware-vcenter, from PyPI) into a virtual environment and runs this. The
notation is that of internal/dev/lab/contract. The SDK names no statuses: 201 for a create, 204 for no answer and the usual
status of each declared error are added here.
"""

import importlib
import json
import re
import sys

CLIENTS = (
    "com.vmware.cis_client",
    "com.vmware.cis.tagging_client",
    "com.vmware.vcenter.tagging_client",
    "com.vmware.vcenter.topology_client",
)
WORDS = {
    "IdType": "string",
    "StringType": "string",
    "SecretType": "string",
    "URIType": "string",
    "DateTimeType": "datetime",
    "BooleanType": "boolean",
    "IntegerType": "int64",
    "DoubleType": "number",
    "OpaqueType": "object",
    "DynamicStructType": "object",
    "AnyErrorType": "object",
}
STATUS = {
    "already_exists": 400,
    "error": 500,
    "invalid_argument": 400,
    "not_found": 404,
    "service_unavailable": 503,
    "unauthenticated": 401,
    "unauthorized": 403,
}
ERROR = "vapi.std.errors.error"
PREFIX = "com.vmware."

types = {}


def phrase(t):
    """Returns the phrase for a binding type, including "required" if it is required."""
    if type(t).__name__ == "ReferenceType":
        return phrase(t.resolved_type)
    if type(t).__name__ == "OptionalType":
        return phrase(t.element_type).removeprefix("required ")
    return "required " + word(t)


def word(t):
    kind = type(t).__name__
    if kind in ("ListType", "SetType"):
        return kind.removesuffix("Type").lower() + " of " + phrase(t.element_type).removeprefix("required ")
    if kind == "MapType":
        return "map of " + phrase(t.value_type).removeprefix("required ")
    if kind == "EnumType":
        return "enum " + " ".join(sorted(str(v) for v in t.binding_class.get_values()))
    if kind in ("StructType", "ErrorType"):
        return struct(t)
    return WORDS[kind]


def struct(t):
    """Registers a structure and returns its name."""
    name = t.name.removeprefix(PREFIX)
    if name not in types:
        types[name] = {"fields": {}}
        types[name]["fields"].update({f: phrase(t.get_field(f)) for f in t.get_field_names()})
    return name


def stubs(module):
    """Yields the service, operations and REST metadata that each stub of a module passes to its base constructor."""
    for name, stub in sorted(vars(module).items()):
        if not (isinstance(stub, type) and name.startswith("_") and name.endswith("Stub")):
            continue
        seen = []
        base = module.ApiInterfaceStub
        original = base.__init__
        base.__init__ = lambda _, config, **given: seen.append(given)
        try:
            stub(None)
        finally:
            base.__init__ = original
        yield seen[0]["iface_name"], seen[0]["operations"], seen[0]["rest_metadata"] or {}


def operation(name, meta, rest):
    fields = meta["input_type"]
    inputs = {f: phrase(fields.get_field(f)) for f in fields.get_field_names()}
    path = {rest._path_variables[f]: inputs.pop(f) for f in list(inputs) if f in rest._path_variables}
    facts = {"call": f"{rest.http_method} {rest._url_template}", "auth": ["SessionHeader"]}
    if path:
        facts["path"] = path
    if rest.http_method == "GET":  # structures are flattened into the query
        query = {}
        for text in inputs.values():
            query.update(types[text.removeprefix("required ")]["fields"])
        if query:
            facts["query"] = query
    elif rest.request_body_parameter:
        facts["body"] = inputs[rest.request_body_parameter]
    elif inputs:
        types[name + ".input"] = {"fields": inputs}
        facts["body"] = "required " + name + ".input"
    output = meta["output_type"]
    void = type(output).__name__ == "VoidType"
    success = 204 if void else 201 if name.endswith(".create") else 200
    facts["answers"] = {str(success): "" if void else phrase(output).removeprefix("required ")}
    for error in meta["errors"]:
        facts["answers"][str(STATUS[error.rpartition(".")[2]])] = ERROR
    return facts


def main():
    errors = importlib.import_module("com.vmware.vapi.std.errors_client")
    if struct(errors.Error.get_binding_type()) != ERROR:
        sys.exit("the SDK names its errors differently")
    operations = {}
    for client in CLIENTS:
        for service, calls, rest in stubs(importlib.import_module(client)):
            for call, meta in calls.items():
                name = f"{service}.{call}".removeprefix(PREFIX)
                if re.search(r"\.tasks\b", name) or call not in rest:
                    continue
                operations[name] = operation(name, meta, rest[call])
    operations["cis.session.create"]["auth"] = ["BasicAuth"]
    json.dump({"operations": operations, "types": types}, sys.stdout, indent=1, sort_keys=True)
    print()


main()
