import type { Commands } from '../command/command.ts';
import { operandsOf, optionsOf, quoted, type OptionWords } from './words.ts';

/** Completes words in zsh, with their help; where a value or an operand may be anything, zsh completes files. */
export function zshScript(commands: Commands): string {
  const names = Object.entries(commands);
  const summaries = names.map(
    ([name, { summary }]) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`,
  );
  const cases = names.map(([name, command]) => {
    const operands = operandsOf(command);
    const rest = operands.length === 0 ? '*:file:_files' : `*:word:(${operands.join(' ')})`;
    const specs = [...optionsOf(command).flatMap(specsOf), rest];
    return `    ${name}) _arguments -S \\\n${specs.map((spec) => `      ${quoted(spec)}`).join(' \\\n')} ;;`;
  });
  return `#compdef kruise
# Completion of kruise for zsh: source <(kruise completion zsh)
_kruise() {
  local -a names
  names=(
${summaries.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
${cases.join('\n')}
    help) _describe command names ;;
  esac
}
# As a file of fpath it is this function.
if [[ $funcstack[1] = _kruise ]]; then _kruise "$@"; else compdef _kruise kruise; fi
`;
}

/** The specs of `_arguments`, one for each spelling. */
function specsOf({ flags, value, choices, help }: OptionWords): string[] {
  const about = help.replace(/[\\[\]:]/g, (found) => `\\${found}`);
  const takes =
    value === undefined ? '' : choices.length === 0 ? `:${value}:_files` : `:${value}:(${choices.join(' ')})`;
  return flags.map((flag) => `*${flag}[${about}]${takes}`);
}
