#!/usr/bin/env bash
# kit.sh SCENARIO EXECUTABLE OPTIONS: does a scenario of kits.json with the kit for tests in bash. See ../README.md.
set -euo pipefail
# shellcheck source=../../shell/sandbox.sh
. "$(dirname "$0")/../../shell/sandbox.sh"

alice=alice@contoso.example bob=bob@contoso.example erin=erin@example.com
mapfile -t options < <(jq -r 'to_entries[] | "--\(.key)", .value' <<<"$3")

begin() { mam_sandbox "${options[@]}"; }
save_to_dropbox() { mam_call policy.isSaveToAllowedForLocation location=dropbox "account=$1" >/dev/null; }
evaluate() { mam_call conditionalLaunch.evaluate | jq -r .verdict; }
check_in() { mam_check_in | jq -r '.[0].status'; }
accounts() { mam_call "enrollmentManager.$1Accounts" | jq length; }
caught() { "$@" 2>&1 || true; }

# Prints the object of NAME=TEXT and NAME:=JSON.
say() { _mam_object "$@"; }

names() {
  mam_set_user $erin
  say "short=$(mam_enroll alice | jq -r .identity)" "written=$(mam_enroll $erin | jq -r .identity)" \
    "unlisted=$(caught mam_enroll allice)" "status=$(mam_enroll carol | jq -r .status)" "wiped=$(caught mam_wipe bob)"
}

policy() {
  local status
  mam_policy bob saveAsBlocked:=true
  status=$(mam_enroll bob | jq -r .status)
  save_to_dropbox $bob
  mam_assert_blocked saveAsBlocked
  mam_policy bob saveAsBlocked:=false
  save_to_dropbox $bob
  mam_assert_allowed
  say "status=$status" "wrong=$(caught mam_policy bob savAsBlocked:=true)"
}

administrator() {
  local server
  mam_set_user $erin groups:='["staff"]'
  mam_configuration staff server=mail.example.com
  mam_enroll $erin >/dev/null
  server=$(mam_call appConfig.stringValueForKey key=server account=$erin)
  mam_call sandbox.setUser name=$erin enabled:=false >/dev/null
  say "server:=$server" "status=$(check_in)"
}

user() {
  local shown
  mam_enroll alice >/dev/null
  mam_user pin=482913
  shown=$(mam_call policyManager.setUIPolicyIdentity account=$alice)
  say "shown:=$shown" "isSet:=$(mam_call pin.status account=$alice | jq .isSet)"
}

device() {
  local verdict
  mam_enroll alice >/dev/null
  mam_device jailbroken:=true >/dev/null
  verdict=$(evaluate)
  mam_assert_blocked deviceComplianceRequired
  mam_device jailbroken:=false >/dev/null
  mam_user pin=482913 signIn:=true
  evaluate >/dev/null
  mam_assert_allowed
  say "verdict=$verdict"
}

advance() {
  local now
  mam_enroll alice >/dev/null
  mam_offline >/dev/null
  now=$(mam_advance P91D | jq -r '.time | sub("\\.0+Z$"; "Z")')
  evaluate >/dev/null
  mam_assert_blocked periodOfflineBeforeWipeIsEnforced
  say "time=$now" "network:=$(mam_online | jq .networkAvailable)"
}

fault() {
  local failed well lost
  mam_enroll alice >/dev/null
  mam_fault source serviceUnavailable times:=1
  failed=$(check_in)
  save_to_dropbox $alice
  mam_assert_blocked saveAsBlocked
  well=$(check_in)
  mam_fault source unreachable
  lost=$(check_in)
  mam_clear_faults
  say "failed=$failed" "well=$well" "wrong=$(caught mam_fault token slow)" "lost=$lost" "cleared=$(check_in)"
}

wipe() {
  local wiped
  mam_enroll alice >/dev/null
  mam_wipe alice
  wiped=$(mam_wait_for policyManager.wipeDidComplete | jq -r .params.identity)
  say "wiped=$wiped" "accounts:=$(accounts enrolled)" "again=$(caught mam_wait_for policyManager.wipeDidComplete 0.1)"
}

state() {
  local restored reset
  mam_enroll alice >/dev/null
  mam_save enrolled
  mam_wipe alice
  mam_restore enrolled
  restored=$(accounts enrolled)
  mam_reset
  reset=$(accounts registered)
  mam_enroll alice >/dev/null
  say "restored:=$restored" "reset:=$reset" \
    "changed=$(mam_wait_for policyManager.policyDidChange 10 alice | jq -r .params.identity)"
}

app() {
  mam_start
  mam_enroll alice >/dev/null
  mam_stop
}

join() {
  local accounts
  mam_join app
  accounts=$(accounts enrolled)
  mam_reset
  say "accounts:=$accounts" "reset:=$(accounts registered)"
}

wrong_reasons() {
  local setting allowed blocked
  mam_enroll alice >/dev/null
  save_to_dropbox $alice
  setting=$(caught mam_assert_blocked pinRequired)
  allowed=$(caught mam_assert_allowed)
  mam_call enforcement.isActionAllowed action=print account=$alice >/dev/null
  blocked=$(caught mam_assert_blocked)
  mam_call policy.isPINRequired >/dev/null
  say "setting=$setting" "allowed=$allowed" "blocked=$blocked" "other=$(caught mam_assert_allowed)"
}

story() {
  local sealed
  mam_policy bob saveAsBlocked:=true
  mam_enroll bob >/dev/null
  sealed=$(mam_call dataProtectionManager.protectString "string=quarterly figures" account=$bob | jq -r .)
  mam_call dataProtectionManager.unprotectString "string=$sealed" >/dev/null
  save_to_dropbox $bob
  mam_replay >replay.sh
  say "story=$(mam_story)"
}

killed() {
  kill -KILL "$MAM_CHILD"
  mam_enroll alice
}

abandoned() {
  mam_enroll alice >/dev/null
  say "pid:=$MAM_CHILD"
  read -r
}

network_app() {
  mam_start --token-command "$MAM_TOKEN_COMMAND"
  echo "status=$(mam_enroll alice | jq -r .status)"
  echo "saves:=$(mam_call policy.isSaveToAllowedForLocation location=dropbox account=$alice)"
  mam_network_fault checkIn serviceUnavailable times:=1 delay=PT1.5S
  echo "failed=$(check_in)"
  echo "well=$(check_in)"
  mam_stop
}

network_status() { mam_network_send GET /v1.0/users "$(mam_network_token "$1")" | sed -n 1p; }
is_asked() { mam_network_requests | jq -s --arg who $alice 'any(.path == "/mam/v1/check-in" and .who == $who)'; }

network() {
  local told users demoted refused token wrong
  mam_network
  mapfile -t told < <(mam_network_join user=alice network_app)
  mam_set_user $erin groups:='["Administrators"]'
  users=$(network_status $erin)
  mam_call sandbox.setUser name=$erin groups:='["staff"]' >/dev/null
  demoted=$(network_status $erin)
  refused=$(network_status alice)
  mam_network_fault token mfaRequired
  token=$(caught mam_network_token alice)
  wrong=$(caught mam_network_fault checkIn nextLinkLoop)
  mam_network_clear_faults
  say "${told[@]}" "users:=$users" "demoted:=$demoted" "refused:=$refused" "token=$token" "wrong=$wrong" \
    "signedIn:=$([ -n "$(mam_network_token alice)" ] && echo true)" "asked:=$(is_asked)" \
    "certificate:=$([ -f "$MAM_NETWORK_CERTIFICATE" ] && echo true)"
}

failing_app() {
  mam_start --token-command "$MAM_TOKEN_COMMAND"
  mam_enroll alice >/dev/null
  mam_network_fault checkIn serviceUnavailable
  check_in >/dev/null
  mam_stop
}

network_story() {
  mam_network
  mam_network_join failing_app
  return 1
}

joining_app() {
  mam_start --token-command "$MAM_TOKEN_COMMAND"
  mam_enroll alice >/dev/null
  mam_stop
}

network_at_once() {
  local one
  mam_network
  one=$MAM_NETWORK_URL
  mam_network
  say "same:=$([ "$one" = "$MAM_NETWORK_URL" ] && echo true)"
}

abandoned_network() {
  mam_network
  mam_network_join joining_app
  say "pid:=$MAM_CHILD"
  read -r
}

MAMBRIDGE=$2
case $1 in
  no\ network*)
    begin
    say "message=$(caught mam_network)"
    ;;
  "network story") say "story=$( (begin && network_story) 2>&1 || true)" ;;
  *program | *seed) say "message=$(caught begin)" ;;
  killed)
    said=$( (begin && killed) 2>&1) || true
    say "lost=$(head -n 1 <<<"$said")" "story=$(grep -m 1 "^The story" <<<"$said")"
    ;;
  *) begin && case $1 in time) advance ;; *) "${1// /_}" ;; esac ;;
esac
