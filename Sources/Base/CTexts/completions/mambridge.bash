# shellcheck shell=bash
# Completion of mambridge for bash, with or without the package bash-completion. The program itself says what may come
# next, so this script fits every version of it.

_mambridge() {
  local answer kind
  mapfile -t answer < <("${1/#\~/$HOME}" ---complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  kind=${answer[0]%%$'\t'*}
  COMPREPLY=("${answer[@]:1}")
  case $kind in
    files)
      if [[ $2 == @* ]]; then
        # Readline would look for a file whose name begins with @.
        mapfile -t COMPREPLY < <(compgen -P @ -f -- "${2#@}")
        if [[ ${#COMPREPLY[@]} -eq 1 && -d ${COMPREPLY[0]#@} ]]; then
          COMPREPLY[0]+=/
          compopt -o nospace
        fi
      else
        # Readline completes names of files if there is no other completion.
        compopt -o default
      fi
      ;;
    folders) compopt -o dirnames ;;
    # A value follows.
    words) if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=@] ]]; then compopt -o nospace; fi ;;
  esac
}

complete -F _mambridge mambridge
