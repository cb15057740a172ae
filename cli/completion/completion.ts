import { forTerminal, shorten } from '../../compiler/text/escape.ts';
import { exitCode, type Commands, type Run } from '../command/command.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

const scripts: Readonly<Record<string, (commands: Commands) => string>> = {
  bash: bashScript,
  fish: fishScript,
  zsh: zshScript,
};

/** `kruise completion bash` prints what completes these commands and their options in that shell. */
export function completionOf(commands: Commands): Run {
  return (host, operands) => {
    const [shell = ''] = operands;
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined || operands.length > 1) {
      const named = shell === '' ? '' : ` '${forTerminal(shorten(shell, 40))}' is none of them`;
      host.stderr(
        `kruise completion: name one shell, ${Object.keys(scripts).join(', ')}${named && `;${named}`}\n`,
      );
      return exitCode.error;
    }
    host.stdout(script(commands));
    return exitCode.done;
  };
}
