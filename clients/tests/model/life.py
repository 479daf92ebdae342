"""What becomes of accounts: enrollment, check-ins, the clock, wipes."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import launch
from .configuration import Configuration, fill
from .questions import Account, Not, OneOf
from .settings import Policy, Silent, source
from .targeting import Delivered, deliver, is_readable

# sdk-enums.tsv: names of the SDK's integers.
CODES = {100: "newPoliciesReceived", 101: "policiesHaveNotChanged", 102: "wipeReceived", 103: "noPolicyReceived",
         104: "unenrollmentSuccess", 200: "accountNotLicensed", 203: "authRequired", 204: "locationServiceFailure",
         205: "enrollmentEndPointNetworkFailure", 206: "parsingFailure", 208: "alreadyEnrolled",
         210: "mdmEnrolledDifferentUser", 212: "policyEndPointNetworkFailure", 213: "appNotEnrolled",
         214: "notEnrolledAccount", 225: "licensedNotTargeted", 227: "singleManagedAccountMode"}
# meaning 6, facts 2.1: minutes until the next attempt. 204 and other failures: a day; network: 1 minute, doubling to 60.
RETRY = {200: 720, 225: 720, 103: 720}


@dataclass
class Life:
    name: str
    registered: bool = False
    enrolled: bool = False
    delivered: Delivered = field(default_factory=Delivered)
    status: "int | None" = None
    # Of the last check-in; None where the sources do not say whether it counts.
    contact: "float | None" = 0
    due: float = 0
    failures: int = 0
    is_disabled: bool = False
    # A question to the user was left open, perhaps by a policy that is gone.
    asked: bool = False
    # What became of the registration of a wiped account, the sources do not say.
    wiped: bool = False
    # Offline so long that the user must sign in again.
    overdue: bool = False
    # When it was enrolled, to know the first, and whether long after it was registered.
    turn: int = 0
    delayed: bool = False
    clock: "tuple[str, float] | None" = None
    # The sources no longer say what state the account is in: nothing is compared until it is signed out.
    blurred: bool = False


class World:
    """One device, one app, one tenant."""

    def __init__(self, tenant: "dict[str, Any]", several: bool, strict: bool = False) -> None:
        # Strict: also where the program is known to differ.
        self.tenant, self.several, self.now, self.strict = tenant, several, 0.0, strict
        self.trouble: "int | None" = None
        self.device: "dict[str, Any]" = {}
        self.lives = {user["userPrincipalName"]: Life(user["userPrincipalName"]) for user in tenant["tenant"]["users"]}
        self.done: "set[str]" = set()
        self.turns = 0

    # What an account is

    def life(self, name: str) -> Life:
        return self.lives.setdefault(name, Life(name))

    def user(self, name: str) -> "dict[str, Any] | None":
        return next((user for user in self.tenant["tenant"]["users"] if user["userPrincipalName"] == name), None)

    def account(self, name: str) -> Account:
        life = self.life(name)
        if life.blurred:
            raise Silent("the state of the account")
        policy = life.delivered.policy if life.enrolled else None
        control: "str | Silent | None" = None
        if life.enrolled:
            try:
                found = self.configuration(name).strings("com.microsoft.intune.mam.screencapturecontrol")
                control = found[0] if len(set(found)) == 1 else Silent("several values") if found else None
            except Silent as silent:
                control = silent
        return Account(name, policy, self.device, control, (self.tenant["tenant"].get("mdm") or {}).get("user"))

    def configuration(self, name: str) -> Configuration:
        life = self.life(name)
        if life.blurred:
            raise Silent("the state of the account")
        user = self.user(name)
        if not life.enrolled or user is None:
            return Configuration([], {})
        tenant_id = self.tenant["tenant"]["tenantId"]
        return Configuration(
            [{pair["name"]: fill(pair["value"], user, tenant_id) for pair in one.get("customSettings") or []}
             for one in life.delivered.configurations],
            {key: fill(value, user, tenant_id) for key, value in life.delivered.default.items()})

    def enrolled(self) -> "list[Life]":
        return sorted((life for life in self.lives.values() if life.enrolled), key=lambda life: life.turn)

    @source("meaning 5: enrolledAccount and primaryUser: the first enrolled")
    def first_enrolled(self) -> "str | None":
        enrolled = self.enrolled()
        if not self.strict and any(life.delayed for life in enrolled) and len(enrolled) > 1:
            raise Silent("known.py: the first registered or the first enrolled")
        return enrolled[0].name if enrolled else None

    # What happens

    @source("meaning 3, 5; facts 2.2: 225 failure on iOS; the policy source: 204 no folder, 206 cannot be read")
    def outcome(self, life: Life, enrolling: bool) -> Any:
        """The status of an attempt, and what it brought."""
        if not self.device.get("networkAvailable", True):
            return 205 if enrolling else 212
        user = self.user(life.name)
        if self.trouble or not is_readable(self.tenant):
            if self.trouble != 204 and (
                    not user or not user["accountEnabled"] or not user["licensed"] or self.pending(life)):
                raise Silent("the user of an answer with a policy that cannot be read")
            return self.trouble or 206
        allowed = self.tenant["tenant"].get("allowedAccounts")
        if allowed is not None and life.name not in allowed:
            raise Silent("the status of an account that is not allowed")
        if user is None or not user.get("accountEnabled", True):
            if user and user.get("licensed") is False:
                raise Silent("disabled or not licensed, which counts")
            return 203
        if user.get("licensed") is False:
            return 200
        return None

    @source("meaning 3, 5: protection policy 100; configuration alone 103; neither 225, still registered; a second account "
            "227; registered again 208, or the last status")
    def enroll(self, name: str) -> Any:
        life = self.life(name)
        if life.blurred:
            raise Silent("the state of the account")
        if life.enrolled:
            return 208
        if life.wiped:
            life.blurred = True
            raise Silent("enrolling after a wipe")
        if life.registered:
            return life.status
        life.registered = True
        return self.attempt(life, first=True)

    def attempt(self, life: Life, first: bool = False) -> Any:
        mdm = self.tenant["tenant"].get("mdm")
        if not self.several and [one for one in self.lives.values() if one is not life and (one.enrolled or one.blurred)]:
            # A second account, whose failure may also have another name.
            life.blurred = True
            raise Silent("which of several reasons")
        orders = self.pending(life)
        if orders and not (self.blocked(life) and self.is_well(life)):
            life.blurred = True
            raise Silent("enrolling while a wipe is ordered")
        if orders:
            # meaning, the policy source: wipeAndBlock at every check-in until removed.
            life.blurred = True
            return Not(100)
        if mdm and not self.several and mdm["user"] != life.name:
            if not self.is_well(life):
                life.blurred = True
                raise Silent("which of several reasons")
            self.scheduled(life, 210)
            return 210
        try:
            status = self.outcome(life, enrolling=True)
        except Silent:
            life.blurred = True
            raise
        if status is None:
            user = self.user(life.name)
            assert user
            try:
                life.delivered = deliver(self.tenant, user, self.device)
            except Silent:
                life.blurred = True
                raise
            status = 100 if life.delivered.policy else 103 if life.delivered.is_configured else 225
            if status == 225 and life.delivered.default:
                raise Silent("a default configuration without a policy")
            life.enrolled = status in (100, 103)
            self.turns += 1
            life.turn, life.delayed = self.turns, not first
            self.contacted(life)
        self.scheduled(life, status)
        return status

    def is_well(self, life: Life) -> bool:
        """Whether nothing else keeps the user from enrolling."""
        user = self.user(life.name)
        try:
            return bool(user and self.outcome(life, enrolling=True) is None and (
                (brought := deliver(self.tenant, user, self.device)).policy or brought.is_configured))
        except Silent:
            return False

    def blocked(self, life: Life) -> bool:
        return any(one["type"] == "wipeAndBlock" for one in self.pending(life))

    def contacted(self, life: Life, before: "Policy | None" = None) -> None:
        # facts 2.5: at N days the user must connect and sign in again.
        limit = before.settings.get("periodOfflineBeforeWipeIsEnforced") if before else None
        if isinstance(limit, (int, float)) and life.contact is not None and self.now - life.contact >= limit:
            life.overdue = True
        life.contact, life.failures = self.now, 0
        user = self.user(life.name)
        clock = (user or {}).get("clock")
        life.clock = (clock["status"], clock["minutes"]) if clock else None

    def scheduled(self, life: Life, status: int) -> None:
        life.status = status
        if status in (205, 212):
            life.failures += 1
            life.due = self.now + min(60, 2 ** (life.failures - 1))
        elif life.enrolled:
            life.due = self.now + (30 if status in (100, 101, 103) else 24 * 60)
        else:
            life.due = self.now + RETRY.get(status, 24 * 60)

    def pending(self, life: Life) -> "list[dict[str, Any]]":
        return [one for one in self.tenant["tenant"].get("operations", [])
                if one["user"] == life.name and one["app"] in ("*", self.tenant["app"])
                and (one["type"] == "wipeAndBlock" or one["requestedDateTime"] not in self.done)]

    @source("meaning 3, 4; facts 2.6: a wipe runs at a check-in; the policy source: what cannot be read changes nothing")
    def check_in(self, name: str) -> Any:
        """The status of a check-in of a registered account."""
        life = self.life(name)
        if life.blurred:
            raise Silent("the state of the account")
        if not life.enrolled:
            return self.attempt(life)
        try:
            status = self.outcome(life, enrolling=False)
            if status is not None:
                if status in (203, 200) and self.pending(life):
                    raise Silent("a wipe of a user who is disabled")
                if status in (203, 200):
                    life.is_disabled, life.contact = True, None
                    user = self.user(name)
                    if status == 200 or user is None or not life.delivered.policy or \
                            life.delivered.policy["appActionIfUnableToAuthenticateUser"] == "wipe":
                        raise Silent("an enrolled account whose user is gone, not licensed or disabled")
                    life.due = self.now + 30
                    return Silent("the status of an enrolled account whose user is disabled")
                self.scheduled(life, status)
                return status
            life.is_disabled = False
            if self.pending(life):
                self.done |= {one["requestedDateTime"] for one in self.pending(life)}
                self.wiped(life)
                return Silent("the status of a wipe")
            user = self.user(name)
            assert user
            before = life.delivered
            life.delivered = deliver(self.tenant, user, self.device)
        except Silent:
            life.blurred = True
            raise
        self.contacted(life, before.policy)
        if not life.delivered.policy:
            if before.policy:
                life.blurred = not life.delivered.is_configured
                life.status, life.due = 103, self.now + 30
                return 103
            return self.lost(life)
        self.scheduled(life, 101)
        if before.policy is None:
            return OneOf(100, 101)
        return 100 if certain(before.policy) != certain(life.delivered.policy) else OneOf(100, 101)

    def lost(self, life: Life) -> Any:
        if not life.delivered.is_configured:
            life.blurred = True
        else:
            life.status, life.due = 103, self.now + 720
        raise Silent("the status of an account with configuration alone")

    def wiped(self, life: Life) -> None:
        life.enrolled, life.delivered, life.blurred, life.overdue = False, Delivered(), False, False
        life.registered, life.status, life.wiped = False, None, True
        life.due = float("inf")

    @source("meaning 4: not registered 214, or 213 when nobody is enrolled; registered only 104")
    def sign_out(self, name: str) -> Any:
        life = self.life(name)
        was = Life(name, life.registered, life.enrolled, blurred=life.blurred, status=life.status)
        unsure = [one for one in self.lives.values() if one.blurred or one is life and life.wiped]
        self.lives[name] = Life(name)
        if unsure:
            raise Silent("the state of an account")
        if not was.registered:
            return 214 if self.enrolled() else 213
        if was.enrolled:
            return OneOf(102, 104)
        return 104

    @source("meaning 6; facts 2.1: enrolled 30 minutes; 200, 225, 103 12 h; 204 24 h; 205, 212 1 minute doubling to 60; "
            "other failures 24 h; what is due runs at start")
    def advance(self, minutes: float) -> None:
        end = self.now + minutes
        while True:
            due = [life for life in self.lives.values() if life.registered and not life.blurred and life.due <= end]
            if not due:
                break
            life = min(due, key=lambda one: one.due)
            self.now = max(self.now, life.due)
            before = life.due
            try:
                self.check_in(life.name)
            except Silent:
                pass
            if life.due <= before and not life.blurred:
                life.due = before + 30
        self.now = end

    def set_device(self, change: "dict[str, Any]") -> None:
        was = self.device.get("networkAvailable", True), self.device.get("managementType")
        self.device = {**self.device, **change}
        back = self.device.get("networkAvailable", True) and not was[0]
        if back or self.device.get("managementType") != was[1]:
            for life in list(self.lives.values()):
                if life.registered and not life.blurred:
                    try:
                        self.check_in(life.name)
                    except Silent:
                        pass

    # Conditional launch

    @source("meaning 17: notConfigured without appActionIfAccountIsClockedOut, stale 60 minutes after updated")
    def clock_status(self, name: str) -> str:
        account, life = self.account(name), self.life(name)
        if account.policy is None:
            raise Silent("the clock of an account without a policy")
        if account.get("appActionIfAccountIsClockedOut") is None:
            return "notConfigured"
        if not life.clock or self.now - life.clock[1] == 60:
            raise Silent("without a status, or one that has just become stale")
        return life.clock[0] + ("Stale" if self.now - life.clock[1] > 60 else "")

    def launch(self, name: str) -> "tuple[dict[str, Any], Account]":
        """The rules, each with its outcome or why the sources do not say it."""
        account, life = self.account(name), self.life(name)
        if account.policy is None:
            return {}, account
        # docs/reference.md: a check-in is tried first when there is no fresh clock status.
        if account.policy.settings.get("appActionIfAccountIsClockedOut") and self.device.get("networkAvailable", True) and (
                life.clock is None or self.now - life.clock[1] >= 60):
            try:
                self.check_in(name)
            except Silent:
                pass
            account = self.account(name)
            if account.policy is None:
                return {}, account
        status = "unknown"
        if life.clock and self.now - life.clock[1] < 60:
            status = life.clock[0]
        rules: "dict[str, Any]" = {}
        for part in (
                lambda: launch.versions(account), lambda: launch.device(account),
                lambda: launch.offline(account, None if life.contact is None else self.now - life.contact),
                lambda: launch.disabled(account, life.is_disabled), lambda: launch.clock(account, status)):
            try:
                rules.update(part())
            except Silent as silent:
                rules[str(silent)] = silent
        if life.overdue and rules.get("periodOfflineBeforeWipeIsEnforced", "passed") == "passed":
            rules["periodOfflineBeforeWipeIsEnforced"] = OneOf("challenge", "block", "wipe") \
                if account.policy.settings.get("periodOfflineBeforeWipeIsEnforced") else Silent("the limit is gone")
        if life.is_disabled and "appActionIfUnableToAuthenticateUser" not in rules:
            rules["disabled"] = Silent("a disabled user without an action")
        return rules, account


def certain(policy: Policy) -> "dict[str, Any]":
    return {name: value for name, value in policy.settings.items() if not isinstance(value, Silent)}
