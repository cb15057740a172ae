import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { HostError } from '../../compiler/host.ts';
import type { Configuration } from '../../compiler/load/configuration.ts';
import { shownPath } from '../../compiler/load/files.ts';
import { LIMITS, sizeText } from '../../compiler/load/limits.ts';
import type { GivenText } from '../../compiler/load/read.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import type { Host } from '../host.ts';
import type { SelectedRoot, SelectedRoots } from './select.ts';

const TIMEOUT_S = 120;
/** Of what a failed command printed, so many lines are shown. */
const MOST_LINES = 3;

/** An error for each root with a command, if commands are not allowed. */
export function refusedCommands(host: Host, { configuration, selected }: SelectedRoots): Diagnostic[] {
  return selected.flatMap(({ root, index, folder }) => {
    if (root.render === undefined) return [];
    const args = { root: root.name, command: commandText(root.render), folder: shownPath(host, folder) };
    return [diagnostic('KR4032', args, positionOf(configuration, index))];
  });
}

/**
 * What the command of a root prints in a folder; undefined if the state does not have the folder.
 *
 * @param folder the folder of the root in the state
 * @param state `at head`, or another one: the root may be new since
 * @param top the folder of the whole state, if it is temporary: its path is not shown
 */
export function render(
  host: Host,
  configuration: Configuration,
  { root, index }: SelectedRoot,
  { folder, top, state }: { folder: string; top?: string | undefined; state: `at ${string}` },
): GivenText | Diagnostic | undefined {
  const { name, render: command = [] } = root;
  const failed = (problem: string, help?: string): Diagnostic =>
    diagnostic(
      'KR4033',
      { root: name, command: commandText(command), state, problem, ...(help === undefined ? {} : { help }) },
      positionOf(configuration, index),
    );
  if (host.renderer === undefined) return failed('cannot be run here');
  if (host.inspect(folder)?.kind !== 'folder')
    return state === 'at head'
      ? failed('has no folder to run in', 'correct the path of the root')
      : undefined;
  let result;
  try {
    result = host.renderer.run(folder, command, {
      timeoutMs: TIMEOUT_S * 1_000,
      mostBytes: LIMITS.fileBytes,
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return failed(`failed: ${error.reason}`);
  }
  const { end, stdout, stderr } = result;
  if (end === 'not found') return failed('is not a program here', replacement(host, command));
  if (end === 'timeout') return failed(`did not end within ${TIMEOUT_S} s${reasonIn(stderr, top)}`);
  if (end === 'too much') return failed(`printed more than ${sizeText(LIMITS.fileBytes)}`);
  if (end !== 0)
    return failed(
      `${typeof end === 'number' ? `ended with exit code ${end}` : `was ended by ${end}`}${reasonIn(stderr, top)}`,
    );
  if (stdout.length === 0 && state === 'at head') return failed('printed nothing');
  return { file: `<${name} ${state}>`, bytes: stdout };
}

function positionOf(
  { locate }: Configuration,
  index: number,
): ReturnType<NonNullable<typeof locate>> | undefined {
  return locate?.(['roots', String(index), 'render'], 'key');
}

function commandText(command: readonly string[]): string {
  return command.map(shellWord).join(' ');
}

/** kubectl has kustomize as a part. */
function replacement(host: Host, [program, first, ...rest]: readonly string[]): string {
  const isKustomize = program === 'kustomize' && first === 'build' && host.hasProgram?.('kubectl') === true;
  return isKustomize
    ? `kubectl does the same: render: [${['kubectl', 'kustomize', ...rest].join(', ')}]`
    : 'install it, or correct the command';
}

/** The last lines of an error output, without the path of a temporary folder. */
function reasonIn(stderr: string, top: string | undefined): string {
  const text = top === undefined ? stderr : stderr.replaceAll(`${top}/`, '').replaceAll(top, '.');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? ', and gives no reason' : `: ${lines.slice(-MOST_LINES).join(' | ')}`;
}
