"""Prints the contract of vSphere Replication, read from the vendor's OpenAPI document, whose path is the argument.

The document is not part of this repository. The notation is that of internal/dev/lab/contract; what it has no word for
ends the program.
"""

import json
import re
import sys

MEDIA_TYPE = "application/json"


def phrase(schema, required=False):
    if "$ref" in schema:
        text = schema["$ref"].removeprefix("#/components/schemas/")
    else:
        text = ("nullable " if schema.get("nullable") else "") + kind(schema)
        if "minimum" in schema or "maximum" in schema:
            text += f" {schema.get('minimum', '')}..{schema.get('maximum', '')}"
        if schema["type"] == "integer":
            text += unit(schema.get("description", ""))
    return ("required " if required else "") + text


def unit(description):
    found = re.search(r"\b(?:in|as) (minutes|seconds|milliseconds|bytes|percentage)\b", description)
    return " in " + found[1] if found else ""


def kind(schema):
    word, form = schema["type"], schema.get("format", "")
    if word == "array":
        return ("set of " if schema.get("uniqueItems") else "list of ") + phrase(schema["items"])
    if "enum" in schema:
        return " ".join(["enum", *schema["enum"]])
    if (word, form) in (("integer", "int32"), ("integer", "int64"), ("string", "uuid")):
        return form
    if form or word not in ("string", "boolean", "object") or schema.get("properties"):
        sys.exit(f"the notation has no word for {schema}")
    return word


def content(body):
    (media_type, media), = body["content"].items()
    if media_type != MEDIA_TYPE:
        sys.exit(f"the content is {media_type}, not {MEDIA_TYPE}")
    return phrase(media["schema"], body.get("required"))


def named_type(schema):
    if schema["type"] != "object":
        sys.exit(f"a type is {schema['type']}, not object")
    fields, required = schema.get("properties", {}), schema.get("required", [])
    (parent,) = schema.get("allOf", [{}])
    return {
        "nullable": schema.get("nullable"),
        "extends": phrase(parent) if parent else None,
        "fields": {name: phrase(fields[name], name in required) for name in sorted(fields)},
        "requires": sorted(set(required) - set(fields)),
    }


def operation(call, op):
    parameters = sorted(op.get("parameters", []), key=lambda p: p["name"])
    located = {
        place: {p["name"]: phrase(p["schema"], p.get("required")) for p in parameters if p["in"] == place}
        for place in ("path", "query")
    }
    if len(parameters) != sum(map(len, located.values())):
        sys.exit(f"{call} has a parameter that is neither in the path nor in the query")
    answers = sorted(op["responses"].items())
    return {
        "call": call,
        "auth": [scheme for alternative in op["security"] for scheme in alternative],
        **located,
        "body": content(op["requestBody"]) if "requestBody" in op else None,
        "answers": {status: content(answer) if answer.get("content") else "" for status, answer in answers},
    }


def print_facts(document):
    facts = {"operations": {}, "types": {}}
    for path, item in document["paths"].items():
        for method, op in item.items():
            facts["operations"][op["operationId"]] = operation(f"{method.upper()} {path}", op)
    for name, schema in document["components"]["schemas"].items():
        facts["types"][name] = named_type(schema)
    for group, members in facts.items():
        facts[group] = {
            name: {key: value for key, value in member.items() if value or key in ("auth", "fields", "answers")}
            for name, member in sorted(members.items())
        }
    print(json.dumps(facts, indent=1))


with open(sys.argv[1], encoding="utf-8") as file:
    print_facts(json.load(file))
