"""What administrators' tools ask Graph, one table for each tool that cannot run here: the requests in their order, and of the
answers the status and the members that the tool reads. Paths and shapes are from the sources of the tools; the values are ours."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SALES: "dict[str, Any]" = {"target": {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "sales"}}
EXCLUDED: "dict[str, Any]" = {
    "target": {"@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget", "groupId": "administrators"}}
IOS_APP: "dict[str, Any]" = {
    "mobileAppIdentifier": {"@odata.type": "#microsoft.graph.iosMobileAppIdentifier", "bundleId": "com.example.mail"}}
ANDROID_APP: "dict[str, Any]" = {
    "mobileAppIdentifier": {"@odata.type": "#microsoft.graph.androidMobileAppIdentifier", "packageId": "com.example.mail"}}
IOS, ANDROID = "deviceAppManagement/iosManagedAppProtections", "deviceAppManagement/androidManagedAppProtections"
ANY, CONFIGURATIONS = "deviceAppManagement/managedAppPolicies", "deviceAppManagement/targetedManagedAppConfigurations"
IOS_TYPE, ANDROID_TYPE = "#microsoft.graph.iosManagedAppProtection", "#microsoft.graph.androidManagedAppProtection"


#: A member that must be missing.
MISSING: Any = object()


class Present:
    """Equals every member that is there and not null."""

    def __eq__(self, other: object) -> bool:
        return other is not None and other is not MISSING

    def __repr__(self) -> str:
        return "something"


SOME: Any = Present()


@dataclass
class Asked:
    """A request. `{id}` stands for the id that the last creation has returned."""

    method: str
    path: str
    body: Any = None
    status: int = 200
    #: By the path of the member in the answer.
    read: "dict[str, Any]" = field(default_factory=dict)
    headers: "dict[str, str]" = field(default_factory=dict)


GONE = {"error/code": "ResourceNotFound"}


def batch(*requests: "tuple[Any, str]") -> "dict[str, Any]":
    return {"requests": [{"id": id, "method": "GET", "url": url} for id, url in requests]}


TERRAFORM_WP = [
    Asked("POST", f"beta/{IOS}", {
        "@odata.type": IOS_TYPE, "displayName": "WP", "description": None, "roleScopeTagIds": ["0"], "appGroupType": "selectedPublicApps",
        "apps": [IOS_APP], "assignments": [SALES], "targetedAppManagementLevels": "unspecified", "minimumPinLength": 6,
        "periodOfflineBeforeAccessCheck": "PT720M", "periodBeforePinReset": "P0D", "minimumRequiredOsVersion": None,
        "pinRequiredInsteadOfBiometricTimeout": None, "allowedIosDeviceModels": None, "appActionIfUnableToAuthenticateUser": None,
        "exemptedAppProtocols": [{"name": "Default", "value": "skype;app-settings;calshow"}]}, 201, {"id": SOME, "displayName": "WP"}),
    Asked("GET", f"beta/{IOS}/{{id}}?$expand=apps,assignments", read={
        "apps/0/id": "com.example.mail.ios", "apps/0/mobileAppIdentifier/bundleId": "com.example.mail",
        "apps/0/mobileAppIdentifier/@odata.type": "#microsoft.graph.iosMobileAppIdentifier", "appGroupType": "selectedPublicApps",
        "assignments/0/target/groupId": "sales", "assignments/0/target/deviceAndAppManagementAssignmentFilterType": "none",
        "periodOfflineBeforeAccessCheck": "PT12H", "periodBeforePinReset": "PT0S", "minimumRequiredOsVersion": None,
        "exemptedAppProtocols/0/name": "Default", "isAssigned": True}),
    Asked("PATCH", f"beta/{IOS}/{{id}}", {
        "@odata.type": IOS_TYPE, "displayName": "WP 2", "description": None, "minimumPinLength": 8}, 204),
    Asked("POST", f"beta/{IOS}/{{id}}/targetApps", {"appGroupType": "allApps", "apps": []}, 204),
    Asked("POST", f"beta/{IOS}/{{id}}/assign", {"assignments": [EXCLUDED]}, 204),
    Asked("GET", f"beta/{IOS}/{{id}}?$expand=apps,assignments", read={
        "displayName": "WP 2", "minimumPinLength": 8, "appGroupType": "allApps", "apps": [], "assignments/0/id": "administrators_excl",
        "assignments/0/target/@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget", "assignments/1": MISSING}),
    Asked("DELETE", f"beta/{IOS}/{{id}}", status=204),
    Asked("GET", f"beta/{IOS}/{{id}}?$expand=apps,assignments", status=404, read=GONE),
]

TERRAFORM_DT = [
    Asked("POST", f"beta/{ANDROID}", {
        "@odata.type": ANDROID_TYPE, "displayName": "DT", "description": "", "roleScopeTagIds": ["0"], "pinRequired": True,
        "periodOfflineBeforeAccessCheck": "P30D", "periodBeforePinReset": "P365D"}, 201, {"id": SOME}),
    Asked("POST", f"beta/{ANY}/{{id}}/targetApps", {"apps": [ANDROID_APP]}, 204),
    Asked("GET", f"beta/{ANDROID}/{{id}}/apps", read={"value/0/mobileAppIdentifier/packageId": "com.example.mail"}),
    Asked("GET", f"beta/{ANDROID}/{{id}}", read={
        "displayName": "DT", "description": "", "periodBeforePinReset": "P365D", "deployedAppCount": 1,
        "appGroupType": "selectedPublicApps"}),
    Asked("PATCH", f"beta/{ANDROID}/{{id}}", {"@odata.type": ANDROID_TYPE, "displayName": "DT", "pinRequired": False}, 204),
    Asked("GET", f"beta/{ANDROID}/{{id}}", read={"pinRequired": False, "periodBeforePinReset": "P365D"}),
    Asked("DELETE", f"beta/{ANDROID}/{{id}}", status=204),
    Asked("POST", f"beta/{CONFIGURATIONS}", {
        "displayName": "DT", "description": "", "roleScopeTagIds": ["0"], "apps": [], "assignments": [], "customSettings": [],
        "targetedAppManagementLevels": "unspecified"}, 201, {
        "id": SOME, "@odata.type": MISSING, "appGroupType": "allApps", "isAssigned": False, "customSettings": [], "version": SOME}),
    Asked("PATCH", f"beta/{CONFIGURATIONS}/{{id}}", {"displayName": "DT 2", "description": "d"}, 204),
    Asked("PATCH", f"beta/{CONFIGURATIONS}/{{id}}", {"customSettings": [{"name": "a", "value": "1"}]}, 204),
    Asked("POST", f"beta/{CONFIGURATIONS}/{{id}}/targetApps", {
        "appGroupType": "selectedPublicApps", "apps": [IOS_APP, ANDROID_APP]}, 204),
    Asked("POST", f"beta/{CONFIGURATIONS}/{{id}}/changeSettings", {"settings": [{"id": "0"}]}, 204),
    Asked("POST", f"beta/{CONFIGURATIONS}/{{id}}/assign", {"assignments": [SALES]}, 204),
    Asked("GET", f"beta/{CONFIGURATIONS}/{{id}}?$expand=apps,assignments,settings", read={
        "displayName": "DT 2", "description": "d", "customSettings/0/value": "1", "apps/1/mobileAppIdentifier/@odata.type": SOME,
        "settings/0/id": "0", "assignments/0/target/groupId": "sales", "apps@odata.context": SOME, "assignments@odata.context": SOME}),
    Asked("DELETE", f"beta/{CONFIGURATIONS}/{{id}}", status=204),
    Asked("GET", f"beta/{CONFIGURATIONS}/{{id}}?$expand=apps,assignments,settings", status=404, read=GONE),
]

DSC_IOS = [
    Asked("GET", f"beta/{IOS}?$filter=displayName eq 'DSC'", read={"value": []}),
    Asked("POST", f"beta/{IOS}", {
        "@odata.type": IOS_TYPE, "displayName": "DSC", "pinRequired": True, "minimumPinLength": 6}, 201, {"id": SOME}),
    Asked("POST", f"beta/{IOS}('{{id}}')/targetApps", {"apps": [{"id": "com.example.mail.ios", **IOS_APP}]}, 204),
    Asked("POST", f"beta/{IOS}('{{id}}')/assign", {"assignments": [SALES, EXCLUDED]}, 204),
    Asked("GET", f"beta/{IOS}?$filter=displayName eq 'DSC'", read={"value/0/id": SOME, "value/0/minimumPinLength": 6, "value/1": MISSING}),
    Asked("GET", f"beta/{IOS}/{{id}}", read={"displayName": "DSC"}),
    Asked("GET", f"beta/{IOS}/{{id}}/apps", read={"value/0/mobileAppIdentifier/bundleId": "com.example.mail"}),
    Asked("GET", f"beta/{IOS}('{{id}}')/assignments", read={
        "value/0/target/@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget", "value/1/target/groupId": "sales"}),
    Asked("PATCH", f"beta/{IOS}/{{id}}", {"displayName": "DSC", "minimumPinLength": 7}, 204),
    Asked("GET", f"beta/{IOS}/{{id}}", read={"minimumPinLength": 7, "pinRequired": True}),
    Asked("DELETE", f"beta/{IOS}/{{id}}", status=204),
    Asked("GET", f"beta/{IOS}/{{id}}", status=404, read=GONE),
]

DSC_ANDROID = [
    Asked("POST", f"beta/{ANDROID}", {"@odata.type": ANDROID_TYPE, "displayName": "DSC", "encryptAppData": True}, 201, {"id": SOME}),
    Asked("POST", f"beta/{CONFIGURATIONS}/{{id}}/assign", {"assignments": [SALES]}, 204),
    Asked("POST", f"beta/{CONFIGURATIONS}/{{id}}/targetApps", {"apps": [ANDROID_APP], "appGroupType": "selectedPublicApps"}, 204),
    Asked("GET", f"beta/{ANDROID}?$filter=Id eq '{{id}}'&$expand=Apps,assignments", read={
        "value/0/displayName": "DSC", "value/0/apps/0/mobileAppIdentifier/packageId": "com.example.mail",
        "value/0/assignments/0/target/groupId": "sales", "value/0/appGroupType": "selectedPublicApps", "value/1": MISSING}),
    Asked("PATCH", f"beta/{ANDROID}/{{id}}", {"@odata.type": ANDROID_TYPE, "displayName": "DSC", "encryptAppData": False}, 204),
    Asked("GET", f"beta/{ANDROID}/{{id}}", read={"encryptAppData": False}),
    # It sends apps always; Graph refuses the action without them.
    Asked("POST", f"beta/{CONFIGURATIONS}/{{id}}/targetApps", {"appGroupType": "allApps"}, 400, {
        "error/code": "BadRequest", "error/message": SOME}),
    Asked("DELETE", f"beta/{ANDROID}/{{id}}", status=204),
    Asked("GET", f"beta/{ANDROID}?$filter=Id eq '{{id}}'&$expand=Apps,assignments", read={"value": []}),
]

CIPP = [
    Asked("GET", f"beta/{IOS}", read={"value": SOME}),
    Asked("POST", f"beta/{IOS}", {
        "@odata.context": "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/iosManagedAppProtections/$entity",
        "@odata.type": IOS_TYPE, "displayName": "CIPP", "description": "d", "pinRequired": True, "appGroupType": "allMicrosoftApps",
        "assignments@odata.context": "https://graph.microsoft.com/beta/$metadata#x", "#microsoft.graph.assign": {"target": "x"}},
        201, {"id": SOME}),
    Asked("POST", "beta/$batch", batch(
        ("Groups", "/groups?$top=999&$select=id,displayName"), ("Policies", f"/{ANY}?$orderby=displayName"),
        ("Devices", "/deviceAppManagement/mobileAppConfigurations?$expand=assignments&$orderby=displayName"),
        ("iOS", f"/{IOS}?$expand=assignments&$orderby=displayName"),
        ("Apps", f"/{CONFIGURATIONS}?$expand=assignments&$orderby=displayName")),
        read={"responses/0/id": "Groups", "responses/0/status": 200, "responses/0/body/value/0/displayName": SOME,
              "responses/1/status": 200, "responses/1/body/value/0/@odata.type": IOS_TYPE, "responses/2/body/value": [],
              "responses/3/body/value/0/displayName": "CIPP", "responses/3/body/value/0/assignments": [],
              "responses/3/body/@odata.context": SOME, "responses/4/body/value": []}),
    Asked("POST", f"beta/{IOS}('{{id}}')/assign", {"assignments": [SALES]}, 204),
    Asked("GET", f"beta/{IOS}('{{id}}')", read={"displayName": "CIPP", "appGroupType": "allMicrosoftApps"}),
    Asked("GET", f"beta/{IOS}('{{id}}')/assignments", read={"value/0/target/groupId": "sales"}),
    Asked("PATCH", f"beta/{IOS}/{{id}}", {"@odata.type": IOS_TYPE, "displayName": "CIPP", "description": "", "pinRequired": False}, 204),
    Asked("GET", f"beta/{IOS}('{{id}}')", read={"pinRequired": False, "description": ""}),
    Asked("POST", f"beta/{IOS}('{{id}}')/assign", {
        "assignments": [{"target": {"@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"}}]}, 400,
        {"error/code": "BadRequest", "error/message": SOME}),
    Asked("DELETE", f"beta/{IOS}('{{id}}')", status=204),
]

INTUNE_MANAGEMENT = [
    Asked("GET", "beta/$metadata", read={'Name="iosManagedAppProtections"': SOME}),
    Asked("GET", "beta/organization", read={"value/0/id": SOME, "value/0/displayName": "Contoso"}),
    Asked("GET", "beta/deviceManagement/roleScopeTags", read={"value/0/id": "0", "value/0/displayName": "Default"}),
    Asked("GET", "beta/groups?$filter=displayName eq 'sales'", read={"value/0/id": "sales"}),
    Asked("POST", f"beta/{ANDROID}", {
        "@odata.type": ANDROID_TYPE, "displayName": "IM", "description": "", "version": '"1"', "isAssigned": True, "deployedAppCount": 13,
        "appGroupType": "selectedPublicApps", "roleScopeTagIds": ["0"]}, 201, {"id": SOME, "isAssigned": False, "deployedAppCount": 0}),
    Asked("GET", f"beta/{ANY}/{{id}}", read={"@odata.type": ANDROID_TYPE, "displayName": "IM"}),
    Asked("POST", f"beta/{ANDROID}/{{id}}/targetApps", {"apps": [ANDROID_APP], "appGroupType": "selectedPublicApps"}, 204),
    Asked("POST", f"beta/{ANDROID}/{{id}}/assign", {"assignments": [SALES]}, 204),
    Asked("GET", f"beta/{ANY}", read={"value/0/@odata.type": ANDROID_TYPE, "value/0/id": SOME, "value/0/displayName": "IM"}),
    Asked("GET", f"beta/{ANDROID}/{{id}}?$expand=apps,assignments", headers={"Accept": "application/json;odata.metadata=full"}, read={
        "@odata.type": ANDROID_TYPE, "apps/0/mobileAppIdentifier/@odata.type": "#microsoft.graph.androidMobileAppIdentifier",
        "apps/0/mobileAppIdentifier/packageId": "com.example.mail", "assignments/0/target/groupId": "sales"}),
    Asked("PATCH", f"beta/{ANDROID}/{{id}}", {"@odata.type": ANDROID_TYPE, "displayName": "IM 2", "deployedAppCount": 1}, 204),
    Asked("POST", "beta/$batch", batch(("1", f"/{ANDROID}/{{id}}?$expand=assignments")), read={
        "responses/0/status": 200, "responses/0/body/displayName": "IM 2", "responses/0/body/assignments/0/target/groupId": "sales"}),
    Asked("DELETE", f"beta/{ANDROID}/{{id}}", status=204),
]

INTUNE_BACKUP_AND_RESTORE = [
    Asked("POST", f"v1.0/{ANY}", {
        "@odata.type": ANDROID_TYPE, "displayName": "IBR", "description": None, "apps": [ANDROID_APP], "isAssigned": True,
        "deployedAppCount": 1, "pinRequired": True, "minimumRequiredPatchVersion": "0000-00-00"}, 201, {"id": SOME, "displayName": "IBR"}),
    Asked("GET", f"v1.0/{ANY}", read={"value/0/@odata.type": ANDROID_TYPE, "value/0/appGroupType": MISSING}),
    Asked("GET", f"v1.0/{ANY}/{{id}}", read={"@odata.type": ANDROID_TYPE}),
    Asked("POST", f"v1.0/{ANDROID}/{{id}}/assign", {"assignments": [SALES]}, 204),
    Asked("GET", f"v1.0/{ANDROID}('{{id}}')?$expand=apps", read={"apps/0/mobileAppIdentifier/packageId": "com.example.mail"}),
    Asked("GET", f"v1.0/{ANDROID}('{{id}}')/assignments", read={"value/0/target/groupId": "sales"}),
]

POWERSHELL_SAMPLES = [
    Asked("POST", f"beta/{ANY}", {"displayName": "MS"}, 400, {"error/code": "ModelValidationFailure"}),
    Asked("POST", f"beta/{ANY}", {"@odata.type": IOS_TYPE, "displayName": "MS", "apps": [IOS_APP]}, 201, {"id": SOME, "displayName": "MS"}),
    Asked("GET", "v1.0/groups?$filter=displayname eq 'Sales'", read={"value/0/id": "sales"}),
    Asked("POST", f"beta/{IOS}('{{id}}')/assign", {"assignments": [SALES]}, 204),
    Asked("GET", f"beta/{IOS}('{{id}}')/?$expand=apps", read={
        "apps/0/mobileAppIdentifier/bundleId": "com.example.mail", "apps/0/version": SOME}),
    Asked("DELETE", f"beta/{ANY}/{{id}}", status=204),
    Asked("GET", f"beta/{ANY}/{{id}}", status=404, read=GONE),
    Asked("POST", f"v1.0/{IOS}", {
        "@odata.type": IOS_TYPE, "displayName": "MG", "apps": [IOS_APP], "assignments": [SALES, EXCLUDED]}, 201, {"id": SOME}),
    Asked("GET", f"v1.0/{IOS}/{{id}}?$expand=apps,assignments", read={
        "apps/0/id": "com.example.mail.ios", "assignments/0/target/groupId": "sales", "assignments/1/target/groupId": "administrators"}),
    Asked("GET", f"v1.0/{IOS}?$select=id,displayName,description", read={
        "value/0/id": SOME, "value/0/displayName": "MG", "value/0/description": None, "value/0/pinRequired": MISSING}),
    Asked("GET", "v1.0/users/alice@contoso.example/managedAppRegistrations?$expand=appliedPolicies,intendedPolicies,operations", read={
        "value": []}),
    Asked("GET", "beta/deviceAppManagement/managedAppStatuses('appregistrationsummary')?fetch=6000&columns=DisplayName,UserEmail", read={
        "content": SOME}),
    Asked("GET", "beta/deviceAppManagement/managedAppStatuses('userstatus')?userId=alice@contoso.example", read={"content": SOME}),
    Asked("DELETE", f"v1.0/{ANY}/{{id}}", status=204),
]

MICROSOFT_BETA_SDK = [
    Asked("POST", "beta/deviceAppManagement/windowsManagedAppProtections", {
        "displayName": "W", "allowedInboundDataTransferSourceApps": "oneDriveForBusiness"}, 201,
        {"allowedInboundDataTransferSourceApps": "oneDriveForBusiness"}),
    Asked("POST", f"beta/{CONFIGURATIONS}", {"displayName": "C"}, 201),
    Asked("GET", f"beta/{CONFIGURATIONS}/{{id}}/settings", read={"value": []})]

TOOLS = {
    "msgraph-beta-sdk": MICROSOFT_BETA_SDK,
    "terraform-provider-microsoft365wp": TERRAFORM_WP, "terraform-provider-microsoft365 (deploymenttheory)": TERRAFORM_DT,
    "Microsoft365DSC, iOS": DSC_IOS, "Microsoft365DSC, Android": DSC_ANDROID, "CIPP": CIPP, "IntuneManagement": INTUNE_MANAGEMENT,
    "IntuneBackupAndRestore": INTUNE_BACKUP_AND_RESTORE, "powershell-intune-samples, mggraph-intune-samples": POWERSHELL_SAMPLES}
