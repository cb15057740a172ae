import type { Commands } from '../command/command.ts';
import { operandsOf, optionsOf } from './words.ts';

/** Completes words in bash; where it has none, bash completes files. */
export function bashScript(commands: Commands): string {
  const cases = Object.entries(commands).flatMap(([name, command]) => {
    const options = optionsOf(command);
    const values = options
      .filter(({ value }) => value !== undefined)
      .map(
        ({ flags, choices }) =>
          `      '${name} '${flags.join(`|'${name} '`)}) plain='${choices.join(' ')}' ;;`,
      );
    return [
      ...values,
      `      '${name} '*) options='${options.flatMap(({ flags }) => flags).join(' ')}'; plain='${operandsOf(command).join(' ')}' ;;`,
    ];
  });
  return `# Completion of kruise for bash: source <(kruise completion bash)
_kruise() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} options='' plain=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    options='--help --version' plain='${Object.keys(commands).join(' ')} help'
  else
    case "\${COMP_WORDS[1]} $before" in
${cases.join('\n')}
      'help '*) plain='${Object.keys(commands).join(' ')}' ;;
    esac
  fi
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$plain" -- "$word")) ;;
  esac
}
complete -o default -F _kruise kruise
`;
}
