#compdef mambridge
# Completion of mambridge for zsh. The program itself says what may come next, so this script fits every version of it.

_mambridge() {
  local -a answer open closed
  local line item prefix
  answer=("${(@f)$(${~words[1]} ---complete words "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  # The part of the word before the name of a file.
  prefix=${answer[1]#*$'\t'}
  case ${answer[1]%%$'\t'*} in
    files)
      if [[ -n $prefix ]]; then compset -P "${(b)prefix}"; fi
      _files
      ;;
    folders)
      if [[ -n $prefix ]]; then compset -P "${(b)prefix}"; fi
      _files -/
      ;;
    words)
      for line in "${(@)answer[2,-1]}"; do
        item=${line%%$'\t'*}
        if [[ $item == *[=@] ]]; then
          open+=("${item//:/\\:}:${line#*$'\t'}")
        else
          closed+=("${item//:/\\:}:${line#*$'\t'}")
        fi
      done
      _describe -t values 'mambridge' closed -- open -S ''
      ;;
  esac
}

# As a file of $fpath, this is the body of the function; with source, it defines the function.
if [[ $funcstack[1] == _mambridge ]]; then
  _mambridge "$@"
else
  compdef _mambridge mambridge
fi
