"""Random tenants and random lives. Everything is JSON, so that a case can be kept, made smaller and repeated."""
from __future__ import annotations

import copy
import random
import uuid
from typing import Any

from .settings import (
    ACTIONS, ALL, BOOLEANS, DURATIONS, GRAPH_ACTIONS, GRAPH_ORDER, LEVELS, LISTS, MAXIMUMS, MINIMUMS, NO_NAME_ON_DEVICE,
    NUMBERS)
from .targeting import ANDROID, CONFIGURATION, DEFAULT, IOS

APP = "com.example.host"
GROUPS = ["sales", "staff", "0f8fad5b-d9cb-469f-a165-70867728950e"]
# What decides most questions is in most policies.
DECISIVE = ["allowedOutboundDataTransferDestinations", "allowedInboundDataTransferSources", "saveAsBlocked",
            "blockDataIngestionIntoOrganizationDocuments", "allowedDataStorageLocations", "allowedDataIngestionLocations",
            "allowedOutboundClipboardSharingLevel", "managedBrowserToOpenLinksRequired", "notificationRestriction"]
ANN = "ann@contoso.example"
MODELS = ["iPhone14,2", "iPhone15,3", "iPad13,1"]
LINKS = ["https://files.example/*", "https://*.corp.example/*", "http://intra.example/*"]
KEYS = ["server", "port", "flag", "com.microsoft.intune.mam.screencapturecontrol"]
VALUES = ["true", "FALSE", " yes ", "0", "7", "-1.5", " 12 ", "05", "1e2", "abc", "", "{{userprincipalname}}",
          "{{UserId}} of {{nothing}}", "{{mail}}", "{{partialupn}}", "é"]


class Generator:
    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def some(self, values: "list[Any]", least: int = 0) -> "list[Any]":
        return self.random.sample(values, self.random.randint(least, len(values)))

    def id(self, prefix: str) -> str:
        return prefix + str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def version(self) -> str:
        return self.random.choice(["14", "15.0", "15.2", "15.2.1", "16.0.0.1", "16", "17.4", "0.0", "", "15.2.0"])

    def setting(self, name: str) -> Any:
        pick = self.random.choice
        if name in BOOLEANS:
            return self.chance(0.5)
        if name in LEVELS:
            value = pick(LEVELS[name])
            return GRAPH_ORDER.get(name, LEVELS[name]).index(value) if self.chance(0.1) else value
        if name in ACTIONS:
            value = pick(ACTIONS[name])
            return GRAPH_ACTIONS.index(value) if self.chance(0.1) else value
        if name in ("managedUniversalLinks", "exemptedUniversalLinks"):
            return self.some(LINKS)
        if name in LISTS:
            return self.some(LISTS[name])
        if name == "exemptedAppProtocols":
            return [{"name": "Default", "value": "".join(f"{one};" for one in self.some(
                ["skype", "app-settings", "sms", "tel", "custom"], 1))}]
        if name == "minimumPinLength":
            return pick([4, 6, 8])
        if name == "maximumPinRetries":
            return pick([3, 5, 10])
        if name in NUMBERS:
            return pick([0, 5, 12])
        if name == "periodOfflineBeforeWipeIsEnforced":
            return pick(["P1D", "P2D", "P90D"])
        if name == "periodOfflineBeforeAccessCheck":
            return pick(["PT1H", "PT12H", "PT720M", "P1D"])
        if name in DURATIONS:
            return pick(["PT30M", "PT12H", "P30D"])
        if name in MINIMUMS or name in MAXIMUMS:
            return pick(["14.0", "21.7.1", "21.9", "22.0"]) if "Sdk" in name else self.version()
        if name == "allowedIosDeviceModels":
            return ";".join(self.some(MODELS, 1))
        return pick(["acme", "beta"])

    def settings(self, density: float) -> "dict[str, Any]":
        chosen: "dict[str, Any]" = {}
        for name in ALL:
            rare = "Wipe" in name and 0.2 or name in MINIMUMS and 0.4 or name in MAXIMUMS and 0.4 or \
                name in (*ACTIONS, "pinRequired", "organizationalCredentialsRequired", "allowedIosDeviceModels") and 0.4 or 1
            if self.chance(max(density, 0.5) if name in DECISIVE else density * rare):
                chosen[name] = None if self.chance(0.06) else self.setting(name)
        if not any(value not in (None, "") for value in chosen.values()):
            chosen["printBlocked"] = True
        return chosen

    def targeting(self, thing: "dict[str, Any]", path: str, tenant: "dict[str, Any]") -> None:
        how = self.random.choice(["tenant", "export", "everybody", "everybody", "everybody"])
        if how == "tenant":
            tenant["tenant"]["assignments"].append({
                "policy": path, "groups": ["*"] if self.chance(0.5) else self.some(GROUPS, 1),
                "apps": ["*"] if self.chance(0.85) else self.random.choice([[APP], ["com.example.other"]])})
            return
        if how == "export":
            targets: "list[dict[str, Any]]" = []
            for _ in range(self.random.randint(1, 3)):
                kind = self.random.choice(["group", "group", "exclusionGroup", "allLicensedUsers"])
                target: "dict[str, Any]" = {"@odata.type": f"#microsoft.graph.{kind}AssignmentTarget"}
                if kind != "allLicensedUsers":
                    target["groupId"] = self.random.choice(GROUPS)
                if kind != "exclusionGroup" and tenant["filters"] and self.chance(0.4):
                    chosen = self.random.choice([*tenant["filters"], "f-missing"])
                    target["deviceAndAppManagementAssignmentFilterId"] = chosen
                    kind = self.random.choice(["include", "exclude", "none"])
                    target["deviceAndAppManagementAssignmentFilterType"] = kind
                targets.append({"id": self.id(""), "target": target})
            thing["assignments"] = targets
        if self.chance(0.3):
            thing["apps"] = [{"mobileAppIdentifier": {
                "@odata.type": "#microsoft.graph.iosMobileAppIdentifier", "bundleId": one}}
                for one in self.some([APP, "com.example.other"], 1)]
            thing["appGroupType"] = self.random.choice(["selectedPublicApps", "selectedPublicApps", "allApps"])
        elif self.chance(0.3):
            thing["appGroupType"] = "allApps"
        if self.chance(0.1):
            thing["targetedAppManagementLevels"] = self.random.choice(
                ["unspecified", "unmanaged", "mdm", "mdm,androidEnterprise", None])

    def filter(self) -> str:
        def one(depth: int) -> str:
            if depth and self.chance(0.4):
                word = self.random.choice(["and", "or", "-and", "AND"])
                return f"({one(depth - 1)} {word} {one(depth - 1)})"
            name, operators, values = self.random.choice([
                ("app.deviceManagementType", ["-eq", "-ne"], ['"Unmanaged"', '"managed"']),
                ("app.deviceModel", ["-eq", "-ne", "-startsWith", "-contains", "-notContains"],
                 ['"iPhone14,2"', '"iphone"']),
                ("app.deviceManufacturer", ["-in", "-notIn"], ['["Apple", "Acme"]', '["acme"]']),
                ("app.operatingSystemVersion", ["-gt", "-ge", "-lt", "-le", "-eq"], ["15.2", '"16.0"', '"15.2.1"']),
                ("app.osVersion", ["-startsWith", "-eq"], ['"15"', '"16"'])])
            return f"({name} {self.random.choice(operators)} {self.random.choice(values)})"
        if self.chance(0.15):
            return self.random.choice(['(device.model -eq "iPhone")', "(app.deviceModel -eq", '(app.unknown -eq "x")'])
        return one(2)

    def tenant(self, before: "dict[str, Any] | None" = None) -> "dict[str, Any]":
        if before and self.chance(0.5):
            return self.changed(before)
        tenant: "dict[str, Any]" = {
            "app": APP, "files": {}, "filters": {},
            "tenant": {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "users": [],
                       "assignments": [], "operations": []}}
        if before:
            tenant["tenant"]["users"] = copy.deepcopy(before["tenant"]["users"])
            tenant["tenant"]["operations"] = copy.deepcopy(before["tenant"]["operations"])
            for key in ("mdm", "allowedAccounts"):
                if key in before["tenant"]:
                    tenant["tenant"][key] = before["tenant"][key]
        else:
            for name in ("ann", "ben", "cid")[:self.random.randint(2, 3)]:
                user: "dict[str, Any]" = {
                    "id": self.id(""), "userPrincipalName": f"{name}@contoso.example", "displayName": name.title(),
                    "licensed": not self.chance(0.08), "accountEnabled": not self.chance(0.08), "groups": self.some(GROUPS)}
                if self.chance(0.3):
                    user["mail"] = f"{name}.mail@contoso.example"
                if self.chance(0.4):
                    user["clock"] = {"status": self.random.choice(["clockedIn", "clockedOut"]), "minutes": 0}
                tenant["tenant"]["users"].append(user)
            if self.chance(0.15):
                user = self.random.choice(tenant["tenant"]["users"])
                tenant["tenant"]["mdm"] = {"user": user["userPrincipalName"], "appConfig": {
                    "IntuneMAMUPN": user["userPrincipalName"], "IntuneMAMOID": user["id"]} if self.chance(0.8) else {}}
            if self.chance(0.05):
                tenant["tenant"]["allowedAccounts"] = ["ann@contoso.example"]
        for number in range(self.random.choice([0, 0, 1, 2])):
            tenant["filters"][f"f{number}"] = self.filter()
        for number in range(self.random.choice([0, 1, 1, 1, 1, 2, 2, 3, 3])):
            self.policy(tenant, f"policies/p{number}.json", IOS if not self.chance(0.1) else ANDROID)
        if self.chance(0.25):
            self.policy(tenant, "policies/default.json", DEFAULT)
        for number in range(self.random.choice([0, 0, 1, 2, 3])):
            path = f"configurations/c{number}.json"
            thing = {"@odata.type": CONFIGURATION, "id": self.id("A_"), "displayName": f"c{number}", "customSettings": [
                {"name": key, "value": self.value(key)} for key in self.some(KEYS, 1)]}
            self.targeting(thing, path, tenant)
            tenant["files"][path] = {"object": thing}
        return tenant

    def value(self, key: str) -> str:
        if key.startswith("com."):
            return self.random.choice(["Disabled", "Enabled"])
        return str(self.random.choice(VALUES))

    def policy(self, tenant: "dict[str, Any]", path: str, kind: str) -> None:
        density = self.random.choice([0.05, 0.2, 0.5, 0.8])
        thing: "dict[str, Any]" = {
            "@odata.type": kind, "id": self.id("T_"), "displayName": path, "version": f"\"{self.random.getrandbits(32)}\""}
        file: "dict[str, Any]" = {"object": thing}
        if kind == IOS:
            thing.update(self.settings(density))
            if self.chance(0.05):
                thing[self.random.choice(["pinRequired", "saveAsBlocked"])] = self.random.choice(["maybe", 3, []])
            if self.chance(0.15):
                thing["periodBeforePinResetRequired"] = True  # a member that nobody knows
            if self.chance(0.2):
                del thing["@odata.type"]
                thing["@odata.context"] = (
                    "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/iosManagedAppProtections/$entity")
        elif kind == ANDROID:
            thing.update({"printBlocked": True, "pinRequired": True, "saveAsBlocked": True})
        else:
            thing.update({name: value for name, value in self.settings(density).items()
                          if name not in ("genmojiConfigurationState", "writingToolsConfigurationState")})
            if self.chance(0.5):
                thing["customSettings"] = [{"name": key, "value": self.value(key)} for key in self.some(KEYS, 1)]
        if kind == IOS and self.chance(0.12):
            # As on a device. tenant.json says for whom.
            file["form"] = "device"
            for name in NO_NAME_ON_DEVICE:
                thing.pop(name, None)
            for name in [name for name in ALL if isinstance(thing.get(name), int) and not isinstance(thing[name], bool)
                         and name not in NUMBERS]:
                del thing[name]
            if any(isinstance(thing.get(name), (str, list)) for name in BOOLEANS) or type(thing.get("pinRequired")) is int:
                thing.update(pinRequired=True, saveAsBlocked=True)
            thing["printBlocked"] = True
            thing["dialerRestrictionLevel"] = "allApps"
            if not set(thing.get("allowedDataStorageLocations") or []) <= {"oneDriveForBusiness", "sharePoint", "box"}:
                thing["allowedDataStorageLocations"] = ["sharePoint", "photoLibrary"]
            thing.pop("appActionIfIosDeviceModelNotAllowed", None)
            tenant["tenant"]["assignments"].append({
                "policy": path, "groups": ["*"] if self.chance(0.5) else self.some(GROUPS, 1), "apps": ["*"]})
        elif kind != DEFAULT:
            self.targeting(thing, path, tenant)
        tenant["files"][path] = file

    def changed(self, before: "dict[str, Any]") -> "dict[str, Any]":
        """The same tenant, with a small change."""
        tenant = copy.deepcopy(before)
        paths = [path for path in tenant["files"] if path.startswith("policies/p")
                 and tenant["files"][path].get("form") != "device"]
        what = self.random.choice(["setting", "setting", "setting", "remove", "user", "disable"])
        if what == "setting" and paths:
            thing = tenant["files"][self.random.choice(paths)]["object"]
            name = self.random.choice(ALL)
            thing[name] = self.setting(name)
            thing["version"] = f"\"{self.random.getrandbits(32)}\""
        elif what == "remove" and paths:
            path = self.random.choice(paths)
            del tenant["files"][path]
            tenant["tenant"]["assignments"] = [one for one in tenant["tenant"]["assignments"] if one["policy"] != path]
        elif what == "disable":
            user = self.random.choice(tenant["tenant"]["users"])
            user["accountEnabled"] = not user["accountEnabled"]
        else:
            self.random.choice(tenant["tenant"]["users"])["groups"] = self.some(GROUPS)
        return tenant

    def device(self) -> "dict[str, Any]":
        choices: "dict[str, list[Any]]" = {
            "osVersion": ["14.8", "15.2", "15.2.1", "16.0", "17.4"], "appVersion": ["14.0", "15.2", "16.1", "17"],
            "sdkVersion": ["21.7.1", "14.0", "22"], "model": [*MODELS, "iphone14,2"], "manufacturer": ["Apple", "acme"],
            "jailbroken": [True, False, False], "threatLevel": ["secured", "low", "medium", "high"],
            "devicePinSet": [True, False], "managedAppSchemes": [["managed-app"], []],
            "managementType": ["managed", "unmanaged"], "networkAvailable": [True, False]}
        rare = {"managementType": 0.04, "networkAvailable": 0.15}
        return {name: self.random.choice(values) for name, values in choices.items() if self.chance(rare.get(name, 0.35))}

    def broken(self, tenant: "dict[str, Any]") -> "list[Any]":
        path = self.random.choice([*tenant["files"], "tenant.json"])
        kinds = ["truncate", "empty", "garbage", "list", "folder"]
        if path.startswith("policies/") and tenant["files"][path]["object"].get("@odata.type") != ANDROID:
            kinds += ["mistype", "mistype", "bare"]
        kind = self.random.choice(kinds)
        extra: Any = self.random.random()
        if kind == "mistype":
            name = self.random.choice([name for name in ALL if name not in ACTIONS and name != "managedBrowser"])
            wrong: "list[Any]" = [{"a": 1}, [[1]]] if name not in BOOLEANS else ["maybe", 1.5, {}, []]
            extra = [name, self.random.choice(wrong)]
        return ["break", kind, path, extra]

    def alone(self, way: str, settings: "dict[str, Any]", steps: "list[list[Any]]") -> "dict[str, Any]":
        """One user with one policy."""
        thing = {"@odata.type": IOS, "id": self.id("T_"), "displayName": "alone", "printBlocked": True, **settings}
        user = {"id": self.id(""), "userPrincipalName": ANN, "displayName": "Ann", "licensed": True, "accountEnabled": True,
                "groups": []}
        tenant = {"app": APP, "files": {"policies/p.json": {"object": thing}}, "filters": {}, "tenant": {
            "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "users": [user], "assignments": [],
            "operations": []}}
        return {"way": way, "several": self.chance(0.5), "tenant": tenant, "steps": [
            ["enroll", ANN], ["launch", ANN], *steps, ["ask", ANN, self.random.getrandbits(32), 1.0]]}

    def pin(self, way: str) -> "dict[str, Any]":
        """A life of wrong PINs, each of which takes the program a while."""
        return self.alone(way, {
            "pinRequired": True, "maximumPinRetries": self.random.choice([2, 3, 5]),
            "periodOnlineBeforeAccessCheck": "PT30M", "minimumPinLength": 4,
            "appActionIfMaximumPinRetriesExceeded": self.random.choice(["block", "wipe", None]),
            "pinCharacterSet": self.random.choice(["numeric", "alphanumericAndSymbol"])},
            [["pin", ANN, self.random.randint(1, 4)]])

    def long(self, way: str) -> "dict[str, Any]":
        """Three months without a network, in which the program tries to check in each hour."""
        steps: "list[list[Any]]" = [["device", {"networkAvailable": False}]]
        for minutes in (12 * 60 - 1, 2, 88 * 24 * 60, 12 * 60 + 5, 24 * 60):
            steps += [["advance", minutes], ["launch", ANN], ["ask", ANN, self.random.getrandbits(32), 0.1]]
        return self.alone(way, {
            "periodOfflineBeforeAccessCheck": self.random.choice(["PT12H", None]),
            "periodOfflineBeforeWipeIsEnforced": "P90D"}, steps)

    def life(self, way: str) -> "dict[str, Any]":
        if way != "calls" and self.chance(0.015):
            return self.pin(way)
        if way != "calls" and self.chance(0.003):
            return self.long(way)
        tenant = begin = self.tenant()
        names = [user["userPrincipalName"] for user in tenant["tenant"]["users"]]
        several = self.chance(0.75)
        steps: "list[list[Any]]" = []

        def ask(fraction: float = 1.0) -> None:
            steps.append(["ask", self.random.choice(names), self.random.getrandbits(32), fraction])

        if self.chance(0.7):
            steps.append(["device", {**self.device(), "networkAvailable": True, "model": self.random.choice(MODELS),
                                     "manufacturer": "Apple", "osVersion": self.random.choice(["15.2", "16.0"])}])
        for name in self.random.sample(names, len(names)):
            if self.chance(0.85):
                steps.append(["enroll", name])
        if self.chance(0.1):
            steps.append(["enroll", "eve@contoso.example"])
        share = 0.05 if way == "calls" else 0.7
        for name in names:
            if way != "calls" or name == names[0]:
                steps.append(["launch", name])
            steps += [["ask", name, self.random.getrandbits(32), share]]
        for _ in range(self.random.randint(2, 4 if way == "calls" else 7)):
            kind = self.random.choice([
                "tenant", "tenant", "tenant", "device", "device", "advance", "advance", "offline", "break", "wipe",
                "restart", "signOut", "enroll", "show", "show", "thread", "comply"])
            if kind == "tenant":
                tenant = self.tenant(tenant)
                steps.append(["tenant", tenant])
            elif kind == "device":
                steps.append(["device", self.device()])
            elif kind == "advance":
                steps.append(["advance", self.random.choice([1, 29, 31, 59, 61, 719, 725])])
            elif kind == "offline":
                steps += [["device", {"networkAvailable": False}], ["advance", self.random.choice(
                    [59, 62, 11 * 60, 13 * 60, 23 * 60, 25 * 60, 47 * 60, 49 * 60])], ["launch", self.random.choice(names)]]
                ask(share / 2)
                if self.chance(0.7):
                    steps.append(["device", {"networkAvailable": True}])
            elif kind == "break":
                steps.append(self.broken(tenant))
                if self.chance(0.4):
                    steps.append(["enroll", self.random.choice(names)])
                if self.chance(0.3):
                    steps.append(["advance", self.random.choice([31, 13 * 60, 25 * 60])])
                steps.append(["launch", self.random.choice(names)])
                ask(share)
                steps.append(["mend"])
            elif kind == "wipe":
                name = self.random.choice(names)
                steps.append(["wipe", name, self.random.choice(["wipe", "wipe", "wipeAndBlock"])])
                if self.chance(0.6):
                    steps += [["launch", name], ["signOut", name, False], ["enroll", name]]
            elif kind in ("show", "thread", "comply") and way != "calls":
                steps.append([kind, self.random.choice(names)])
            elif kind == "signOut":
                steps.append(["signOut", self.random.choice(names), self.chance(0.5)])
            elif kind == "enroll":
                steps.append(["enroll", self.random.choice(names)])
            else:
                steps.append(["restart"])
            steps.append(["launch", self.random.choice(names)])
            ask(share * 0.6)
        return {"way": way, "several": several, "tenant": begin, "steps": steps}
