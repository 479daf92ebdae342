"""Writes a policy of each type with an SDK of Microsoft and reads it again: write_with_msgraph.py MODULE GRAPH TOKEN

Prints by type what was sent and what came back, as JSON. Knows no member of a type: it sends all that the SDK has."""
from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import fields
from datetime import timedelta
from enum import Enum
from importlib import import_module
from typing import Any

from kiota_abstractions.authentication import AccessTokenProvider, AllowedHostsValidator, BaseBearerTokenAuthenticationProvider
from kiota_abstractions.base_request_configuration import RequestConfiguration

module, graph, token = sys.argv[1:]
ANY, CONFIGURATIONS, OWN = "managed_app_policies", "targeted_managed_app_configurations", ""
# By type: the app that it gets, and below which path; the SDKs have no other.
TYPES = {
    "iosManagedAppProtection": ("IosMobileAppIdentifier", "bundle_id", CONFIGURATIONS),
    "androidManagedAppProtection": ("AndroidMobileAppIdentifier", "package_id", ANY),
    "windowsManagedAppProtection": ("WindowsAppIdentifier", "windows_app_id", OWN),
    "defaultManagedAppProtection": ("IosMobileAppIdentifier", "bundle_id", ANY),
    "targetedManagedAppConfiguration": ("AndroidMobileAppIdentifier", "package_id", CONFIGURATIONS)}
# What Graph sets, and what has a path of its own.
OTHERS = {"odata_type", "additional_data", "backing_store", "id", "version", "created_date_time", "last_modified_date_time",
          "is_assigned", "deployed_app_count", "apps", "assignments", "deployment_summary", "settings"}
# The SDK writes a timedelta as Python does, which Graph cannot read; so a text is sent.
DURATIONS = {"P3D": timedelta(days=3), "PT5H": timedelta(hours=5)}
# Graph allows some values only beside others.
CHOSEN = {"managed_browser_to_open_links_required": [True, True], "protect_inbound_data_from_unknown_sources": [True, False],
          "allowed_inbound_data_transfer_sources": ["allApps", "managedApps"],
          "allowed_outbound_data_transfer_destinations": ["managedApps", "none"]}


def words(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def model(name: str) -> Any:
    return getattr(import_module(f"{module}.generated.models.{words(name)}"), name)


def value(name: str, kind: str, turn: int) -> Any:
    """Another one in each turn."""
    if listed := re.fullmatch(r"list\[(\w+)\]", kind):
        return [value(name, listed[1], turn)]
    if kind == "bool":
        return CHOSEN.get(name, [True, False])[turn]
    if kind == "int":
        return 5 + turn
    if kind == "datetime.timedelta":
        return list(DURATIONS)[turn]
    if kind == "str":
        return (f"2026-0{turn + 1}-05" if name.endswith("patch_version") else f"{turn + 1}.2.3" if name.endswith("version")
                else f"text {turn}")
    if kind == "KeyValuePair":
        return model(kind)(name="a", value=f"{turn}")
    known = [word for word in model(kind) if word.value != "unknownFutureValue"
             and (name != "mobile_threat_defense_remediation_action" or word.value != "warn")]
    if name in CHOSEN:
        return next((word for word in known if word.value == CHOSEN[name][turn]), known[turn])
    return known[(1, 0)[turn] % len(known)]


def text(found: Any) -> Any:
    if isinstance(found, list):
        return [text(one) for one in found]
    if isinstance(found, Enum):
        return found.value
    if hasattr(found, "value"):
        return [found.name, found.value]
    return str(DURATIONS.get(found, found) if isinstance(found, (str, timedelta)) else found)


async def failure(asked: Any) -> "list[Any]":
    try:
        await asked
    except Exception as error:
        return [error.response_status_code, error.error.code, error.error.message]  # type: ignore[attr-defined]
    return []


def body(place: str, action: str, **members: Any) -> Any:
    kind = "".join(word.title() for word in action.split("_")) + "PostRequestBody"
    return getattr(import_module(f"{module}.generated.device_app_management.{place}.item.{action}.{words(kind)}"), kind)(**members)


def by_id(management: Any, collection: str, id: str) -> Any:
    name = {ANY: "managed_app_policy"}.get(collection, collection[:-1])
    return getattr(getattr(management, collection), f"by_{name}_id")(id)


def expanding(one: Any, names: "list[str]") -> Any:
    parameters = getattr(type(one), type(one).__name__.replace("RequestBuilder", "RequestBuilderGetQueryParameters"))
    return RequestConfiguration(query_parameters=parameters(expand=names))


async def write(management: Any, name: str) -> "dict[str, Any]":
    collection, kind = words(name) + "s", model(name[0].upper() + name[1:])
    members = {field.name: re.sub(r"Optional\[(.*)\]", r"\1", str(field.type)) for field in fields(kind) if field.name not in OTHERS}

    def sent(turn: int) -> Any:
        return kind(**{member: value(member, type, turn) for member, type in members.items()})

    def shown(policy: Any) -> Any:
        found = {member: text(getattr(policy, member)) for member in members}
        # The SDK writes one flag, and reads a list.
        return {member: ",".join(one) if isinstance(one, list) and "list" not in members[member] else one for member, one in found.items()}

    made = await getattr(management, collection).post(sent(0))
    one = by_id(management, collection, made.id)
    told: "dict[str, Any]" = {"created": [shown(sent(0)), shown(made), shown(await one.get())]}
    told["patched"] = await one.patch(sent(1))
    told["changed"] = [shown(sent(1)), shown(await one.get())]

    identifier, member, place = TYPES[name]
    app = model("ManagedMobileApp")(mobile_app_identifier=model(identifier)(**{member: "com.example.mail"}))
    await by_id(management, place or collection, made.id).target_apps.post(body(place or collection, "target_apps", apps=[app]))
    lists = ["apps"]
    configurations = by_id(management, CONFIGURATIONS, made.id)
    if hasattr(kind(), "assignments"):
        target = model("GroupAssignmentTarget")(group_id="sales")
        assignment = model("TargetedManagedAppPolicyAssignment")(target=target)
        await configurations.assign.post(body(CONFIGURATIONS, "assign", assignments=[assignment]))
        lists.append("assignments")
    if hasattr(kind(), "settings"):
        setting = model("DeviceManagementConfigurationSetting")(id="0")
        await configurations.change_settings.post(body(CONFIGURATIONS, "change_settings", settings=[setting]))
        lists.append("settings")
    full = await one.get(expanding(one, lists))
    told["expanded"] = {name: [element.target.group_id if name == "assignments" else element.id for element in getattr(full, name)]
                        for name in lists}
    told["refused"] = await failure(one.patch(kind(apps=[])))
    told["deleted"] = await one.delete()
    told["gone"] = await failure(one.get())
    return told


async def main() -> None:
    class Token(AccessTokenProvider):
        async def get_authorization_token(self, uri: str, additional_authentication_context: "dict[str, Any]" = {}) -> str:
            return token

        def get_allowed_hosts_validator(self) -> AllowedHostsValidator:
            return AllowedHostsValidator([])

    sdk = import_module(module)
    adapter = sdk.GraphRequestAdapter(BaseBearerTokenAuthenticationProvider(Token()))
    adapter.base_url = graph
    client = sdk.GraphServiceClient(request_adapter=adapter)
    management = client.device_app_management
    told: "dict[str, Any]" = {}
    for name in TYPES:
        if hasattr(management, words(name) + "s"):
            try:
                told[name] = await write(management, name)
            except Exception as error:
                told[name] = {"failure": f"{type(error).__name__}: {error}"}
    print(json.dumps(told))


asyncio.run(main())
