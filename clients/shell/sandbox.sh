# shellcheck shell=bash
# A kit for tests of apps in bash. Each test has a sandbox: a fresh tenant, a clock that stands still, and a user who
# answers. Source this file, which has mambridge.sh with it:
#
#   a_policy_forbids_saving() {
#     mam_sandbox
#     mam_policy bob saveAsBlocked:=true
#     mam_enroll bob
#     mam_call policy.isSaveToAllowedForLocation location=dropbox account=bob@contoso.example
#     mam_assert_blocked saveAsBlocked
#   }
#   mam_test a_policy_forbids_saving
#
#   mam_test FUNCTION…           runs tests, each in a subshell with `set -euo pipefail`, and prints TAP. What a failing test
#                                said goes to stderr. Status 1 if one fails. On a line by itself, because after `if`, or
#                                before `||` and `&&`, bash ignores the -e of all that runs
#   mam_sandbox [OPTION…]        starts a sandbox, as `mambridge sandbox OPTION…`, that ends with this shell. If the shell
#                                ends with another status than 0, stderr gets the story and a script that replays it. Uses
#                                the trap EXIT. A call takes at most MAM_TIMEOUT whole seconds, by default 60
#   mam_policy AUDIENCE [JSON | NAME=TEXT… | NAME:=JSON…]
#                                writes a policy for a user, a group or '*'; accounts check in. To see what comes before
#                                that, and for more parameters, call sandbox.setPolicy instead
#   mam_configuration AUDIENCE NAME=TEXT…
#                                writes an app configuration; accounts check in
#   mam_set_user NAME […]        adds or changes a user, with params of sandbox.setUser; accounts check in
#   mam_enroll USER              as an app does; fails if the tenant does not list the user
#   mam_check_in                 checks in all accounts
#   mam_user […]                 how the user answers from now on, with params of sandbox.answer: pin=482913
#   mam_device […]               reports properties of the device, with params of device.set: jailbroken:=true
#   mam_offline, mam_online      takes the network away, and gives it back
#   mam_fault AT KIND […]        lets the policy source, its tokens or the clock fail, with params of sandbox.fault: times:=1
#   mam_clear_faults             ends all faults
#   mam_advance DURATION         moves the clock, such as by P91D, and runs what becomes due on the way
#   mam_wipe USER                orders a wipe, and lets the account do it
#   mam_wait_for TYPE [SECONDS [USER]]
#                                prints the first event of this type that no earlier wait has printed; by default within
#                                10 seconds
#   mam_assert_blocked [SETTING…]
#                                fails, with the reasons, unless the newest question of the app was answered with no, and
#                                because of each of the settings
#   mam_assert_allowed           fails, with the reasons, unless it was answered with yes
#   mam_save NAME, mam_restore NAME, mam_reset
#                                keep everything under a name, bring it back, begin again
#   mam_join COMMAND…            runs a program or a function in a subshell, where mambridge joins the sandbox
#   mam_environment              prints the variables for that: eval "$(mam_environment)"
#   mam_story, mam_replay        print what happened, and a script that repeats it
#   mam_network                  serves the tenant over the network with mambridge-tenant, until the sandbox ends, and sets
#                                MAM_NETWORK_URL, _AUTHORITY, _CLIENT_ID, _GRAPH, _TENANT_ID, _CERTIFICATE (a path) and
#                                _SECRET (the token for what is below /dev)
#   mam_network_join [user=NAME] COMMAND…
#                                runs a program or a function in a subshell, where mambridge has a state of its own and its
#                                policy from the network: mam_start --token-command "$MAM_TOKEN_COMMAND". The user, by
#                                default alice, is signed in
#   mam_network_token USER       prints an access token for the service and for Graph
#   mam_network_fault AT KIND […]
#                                lets checkIn, graph, token or keys fail: times:=1 delay=PT1.5S
#   mam_network_clear_faults     ends these faults
#   mam_network_requests         prints the last requests, one a line as JSON
#   mam_network_send METHOD PATH TOKEN [JSON]
#                                prints the status of the answer of the service or Graph, and in the next line the body
#   mam_network_log              prints what the service has written to its log
#
# alice, bob, carol and dave are short for the users of the sample tenant, such as alice@contoso.example. mam_call is the
# client of the sandbox, and mam_stop ends it before the shell does.

# shellcheck source=mambridge.sh
. "$(dirname "${BASH_SOURCE[0]}")/mambridge.sh"

# shellcheck disable=SC2034 # mam_call says this without a server.
MAM_NOTHING="there is no sandbox: begin the test with mam_sandbox"
_MAM_KIT=$(dirname "${BASH_SOURCE[0]}")

mam_test() {
  local - test said status number=0 failed=0
  set +e
  echo "1..$#"
  for test; do
    said=$(_mam_run_test "$test")
    status=$?
    number=$((number + 1))
    if [ "$status" = 0 ]; then
      echo "ok $number - $test"
    else
      failed=1
      echo "not ok $number - $test"
      printf '%s\n' "$said" >&2
    fi
  done
  return "$failed"
}

_mam_run_test() {
  exec 2>&1 </dev/null
  _MAM_TEST=$BASHPID
  set -Eeuo pipefail
  trap '_mam_say_where "$BASH_COMMAND"' ERR
  "$1"
}

# Says which line of a test has failed, if it can be read, or else which command.
_mam_say_where() {
  local place=1 line
  [ "$BASHPID" = "$_MAM_TEST" ] || return 0
  while [[ ${BASH_SOURCE[place]} == "$_MAM_KIT"/* && $place -lt $((${#BASH_SOURCE[@]} - 1)) ]]; do place=$((place + 1)); done
  line=$(sed -n "${BASH_LINENO[place - 1]}{s/^ *//p;}" "${BASH_SOURCE[place]}" 2>/dev/null) || line=$1
  echo "${BASH_SOURCE[place]}:${BASH_LINENO[place - 1]}: failed: ${line:-$1}" >&2
}

# mam_call says this after an error.
_mam_hint() {
  if [[ $1 =~ \"message\":\"/([A-Za-z]+)" must be true or false, not a string" ]]; then
    echo "write ${BASH_REMATCH[1]}:=true or ${BASH_REMATCH[1]}:=false, for JSON" >&2
  fi
}

# Makes a call, and prints its answer if the test captures it. Other answers would only hide why the test failed.
_mam_answered() {
  local answer
  answer=$(mam_call "$@") || return
  _mam_show "$answer"
}

_mam_show() { [ -n "${_MAM_TEST-}" ] && [ /dev/fd/1 -ef /dev/fd/2 ] || printf '%s\n' "$1"; }

mam_sandbox() {
  local program=${MAMBRIDGE:-mambridge} said status=0
  unset MAM_NETWORK_URL
  MAM_TIMEOUT=${MAM_TIMEOUT:-60} MAM_TEST=${FUNCNAME[1]-}
  if ! type -P "$program" >/dev/null && ! [ -e "$program" ]; then
    echo "cannot start $program: there is no such program. Install mambridge, or name the program with MAMBRIDGE in the" \
      "environment" >&2
    return 2
  fi
  if ! type -P jq >/dev/null; then
    echo "mam_sandbox needs jq. Install it" >&2
    return 2
  fi
  # A file without a name has what the server says.
  said=$(mktemp) || return 2
  exec {MAM_SAID}<"$said"
  mam_start sandbox "$@" 2>"$said" || status=$?
  rm -f "$said"
  [ "$status" = 0 ] || return 2
  if said=$(MAM_TIMEOUT=30 mam_call sandbox.story 2>&1); then
    trap _mam_end_sandbox EXIT
  else
    _mam_explain_start "$program" $? "$said" >&2 || true
    return 2
  fi
}

# Administrators

mam_policy() { _mam_write_settings sandbox.setPolicy "$@"; }
mam_configuration() { _mam_write_settings sandbox.setConfiguration "$@"; }
mam_set_user() {
  mam_call sandbox.setUser "name=$(_mam_name "$1")" "${@:2}" >/dev/null && mam_check_in >/dev/null
}
# A check-in brings the order, and what is due at the time of the clock runs: the wipe.
mam_wipe() {
  local answer missed='.[] | select(.status == "appNotEnrolled" or .status == "notEnrolledAccount")'
  answer=$(mam_call sandbox.wipe "account=$(_mam_name "$1")" push:=true) || return
  [ -n "${MAM_NETWORK_URL-}" ] || _mam_are_enrolled "$missed" "$answer" || return
  mam_advance PT0S >/dev/null
}

# The user, the device and the time

# Without a name, the call would enroll nobody, and succeed.
mam_enroll() {
  : "${1:?mam_enroll needs a user}"
  local answer
  answer=$(mam_call enrollmentManager.registerAndEnrollAccount "account=$(_mam_name "$1")") || return
  _mam_are_enrolled 'select((.errorString // "") | startswith("The tenant does not list this user."))' "$answer" || return
  _mam_show "$answer"
}
mam_check_in() { _mam_answered tenant.checkIn; }
mam_user() { mam_call sandbox.answer "$@" >/dev/null; }
mam_device() { _mam_answered device.set "$@"; }
mam_offline() { mam_device networkAvailable:=false; }
mam_online() { mam_device networkAvailable:=true; }
mam_fault() { mam_call sandbox.fault "at=$1" "kind=$2" "${@:3}" >/dev/null; }
mam_clear_faults() { mam_call sandbox.clearFaults >/dev/null; }
mam_advance() { _mam_answered debug.advanceClock "by=$1"; }

# What happened

mam_wait_for() {
  local seconds=${2-10} milliseconds answer
  if ! [[ $seconds =~ ^[0-9]{1,6}(\.[0-9]{1,3})?$ ]]; then
    _mam_refuse "mam_wait_for needs a number of seconds, such as 10 or 0.5"
    return 2
  fi
  LC_ALL=C printf -v milliseconds '%.0f' "${seconds}e3"
  answer=$(MAM_TIMEOUT=$((${MAM_TIMEOUT:-60} + milliseconds / 1000)) mam_call sandbox.waitForEvent "eventType=$1" \
    "milliseconds:=$milliseconds" ${3+"account=$(_mam_name "$3")"}) || return
  _mam_print '.entry // empty' "$answer"
}

mam_assert_blocked() {
  local setting
  if [ $# = 0 ]; then _mam_expect blocked || return; fi
  for setting; do
    _mam_expect blocked "setting=$setting" || return
  done
}

mam_assert_allowed() { _mam_expect allowed; }
mam_story() { _mam_ask sandbox.report .story; }
mam_replay() { _mam_ask sandbox.report .replay; }

# The state

mam_save() { mam_call sandbox.save "name=$1" >/dev/null; }
mam_restore() { mam_call sandbox.restore "name=$1" >/dev/null; }
mam_reset() { mam_call sandbox.reset >/dev/null; }
mam_environment() { _mam_ask sandbox.environment 'to_entries[] | @sh "export \(.key)=\(.value)"'; }

mam_join() {
  local environment
  environment=$(mam_environment) || return
  _mam_apart "$environment" "$@"
}

# Without what belongs to the sandbox: nothing that a test leaves running may keep it alive.
_mam_apart() {
  (
    eval "$1"
    exec {MAM_IN}<&- {MAM_OUT}>&- {MAM_KEEP}>&- {MAM_KEPT}<&- {MAM_SAID}<&-
    "${@:2}"
  )
}

# The network

mam_network() {
  local served
  served=$(_mam_network_call network) || return
  eval "$(jq -r '
    @sh "MAM_NETWORK_URL=\(.url) MAM_NETWORK_AUTHORITY=\(.authority) MAM_NETWORK_CLIENT_ID=\(.clientId)",
    @sh "MAM_NETWORK_GRAPH=\(.graph) MAM_NETWORK_TENANT_ID=\(.tenantId) MAM_NETWORK_CERTIFICATE=\(.certificate)",
    @sh "MAM_NETWORK_SECRET=\(.secret)"' <<<"$served")"
}

# A function keeps its way to the sandbox, for its calls of mam_network_…; nothing that a program leaves running may keep the
# sandbox alive.
mam_network_join() {
  local user=alice app MAM_SANDBOX_IN=${MAM_SANDBOX_IN-${MAM_IN-}} MAM_SANDBOX_OUT=${MAM_SANDBOX_OUT-${MAM_OUT-}}
  local MAM_SANDBOX_KEEP=${MAM_SANDBOX_KEEP-${MAM_KEEP-}}
  if [[ ${1-} == user=* ]]; then
    user=${1#user=}
    shift
  fi
  if [ $# = 0 ]; then _mam_refuse "mam_network_join needs a command" && return 2; fi
  app=$(_mam_network_call networkApp "user=$(_mam_name "$user")") || return
  app=$(jq -r '
    (.environment | to_entries[] | @sh "export \(.key)=\(.value)"),
    (.arguments | @sh "export MAMBRIDGE_TENANT=\(.[1]) MAMBRIDGE_STATE=\(.[3]) MAM_TOKEN_COMMAND=\(.[5])")' <<<"$app")
  if declare -F "$1" >/dev/null; then
    (eval "$app" && "$@")
  else
    _mam_apart "$app" "$@"
  fi
}

mam_network_token() { _mam_network_call networkToken "user=$(_mam_name "$1")" | jq -r .; }
mam_network_fault() { _mam_network_call networkFault "at=$1" "kind=$2" "${@:3}" >/dev/null; }
mam_network_clear_faults() { _mam_network_call clearNetworkFaults >/dev/null; }
mam_network_requests() { _mam_network_call networkRequests | jq -c '.[]'; }
mam_network_log() { _mam_network_call networkLog | jq -r .; }
mam_network_send() {
  _mam_network_call networkSend "method=$1" "path=$2" "token=$3" ${4+"body=$4"} | jq -r '.status, .body'
}

# Calls a method of the sandbox, also from a function that mam_network_join runs.
_mam_network_call() {
  local MAM_IN=${MAM_SANDBOX_IN-${MAM_IN-}} MAM_OUT=${MAM_SANDBOX_OUT-${MAM_OUT-}} MAM_KEEP=${MAM_SANDBOX_KEEP-${MAM_KEEP-}}
  mam_call "sandbox.$1" "${@:2}"
}

_mam_name() {
  case $1 in
    alice | bob | carol | dave) echo "$1@contoso.example" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

_mam_ask() {
  local answer
  answer=$(mam_call "$1") || return
  jq -r "$2" <<<"$answer"
}

# The object of [JSON | NAME=TEXT… | NAME:=JSON…].
_mam_object() { printf '%s\0' "$@" | jq -Rsc "$_MAM_PARAMS"'rtrimstr("\u0000") | split("\u0000") | params // {}'; }

_mam_write_settings() {
  local settings
  settings=$(_mam_object "${@:3}") || return
  mam_call "$1" "audience=$(_mam_name "$2")" "settings:=$settings" >/dev/null && mam_check_in >/dev/null
}

# Fails if a filter finds accounts in an answer about enrollments.
_mam_are_enrolled() {
  local found
  found=$(jq -r "$1"' | "\(.identity) is not enrolled: \(.errorString)"' <<<"$2") || return
  [ -z "$found" ] || { echo "$found" >&2 && return 1; }
}

_mam_expect() {
  local answer
  answer=$(mam_call sandbox.expect "outcome=$1" "${@:2}") || return
  _mam_print 'select(.isMet) | true' "$answer" >/dev/null
}

# Prints what a filter finds in an answer. If it finds nothing, stderr gets the text of the failure.
_mam_print() {
  jq -ce "$1" <<<"$2" && return 0
  jq -r .text <<<"$2" >&2
  return 1
}

_mam_end_sandbox() {
  local status=$?
  if [ -z "$MAM_CHILD" ]; then return 0; fi
  [ "$status" = 0 ] || _mam_tell >&2 || true
  mam_stop || true
}

# How a server has ended, by its status.
_mam_ending() {
  if [ "$1" -gt 128 ]; then
    echo "was killed by signal $(($1 - 128)) (SIG$(kill -l "$1"))"
  else
    echo "ended with status $1"
  fi
}

# A server that does not answer is killed.
_mam_tell() {
  local report status=0 why test=${MAM_TEST#main}
  report=$(MAM_TIMEOUT=5 mam_call sandbox.report "failure=$MAM_TEST" 2>&1) || status=$?
  if [ "$status" = 0 ]; then
    jq -r .text <<<"$report" | sed "1s%^--- what happened in the sandbox\$%&${test:+ of $test}%"
    return 0
  fi
  why=$(jq -r .message <<<"$report")
  case $status in
    3) kill -KILL "$MAM_CHILD" ;;
    2)
      status=0
      mam_stop || status=$?
      why="mambridge $(_mam_ending "$status")"
      ;;
  esac
  echo "The story is lost: $why$(sed 's/^/: /' <&"$MAM_SAID")"
}

# Why a sandbox has not started.
_mam_explain_start() {
  local status=0 said same="Use mambridge of the same release as this kit, or newer"
  if [ "$2" != 2 ]; then echo "$1 does not serve a sandbox: $(jq -r .message <<<"$3"). $same"; fi
  if [ "$2" = 3 ]; then kill -KILL "$MAM_CHILD"; fi
  mam_stop || status=$?
  [ "$2" = 2 ] || return 0
  said=$(paste -sd ' ' <&"$MAM_SAID")
  # How mambridge begins the reason why a sandbox does not start.
  if [[ $said =~ "the sandbox cannot begin: ".* ]]; then
    echo "${BASH_REMATCH[0]%% Usage: *}"
  else
    echo "$1 does not serve a sandbox: it $(_mam_ending "$status"): $said. $same; \`$(basename "$1") --version\` says which" \
      "one it is"
  fi
}
