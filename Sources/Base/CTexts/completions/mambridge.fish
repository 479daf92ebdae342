# Completion of mambridge for fish. The program itself says what may come next, so this script fits every version of it.

function __mambridge_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
    set -e words[1]
    set -l answer ($program ---complete words $words "$current" 2>/dev/null)
    set -l kind (string split -m 1 \t -- $answer[1])
    # The part of the word after --option= or name=@ is the name of a file.
    set -l path (string sub -s (math (string length -- "$kind[2]") + 1) -- "$current")
    switch "$kind[1]"
        case files
            for found in (__fish_complete_path "$path")
                echo $kind[2]$found
            end
        case folders
            for found in (__fish_complete_directories "$path")
                echo $kind[2]$found
            end
        case words
            set -e answer[1]
            printf '%s\n' $answer
    end
end

complete -c mambridge -f -a '(__mambridge_complete)'
