import type { Budget } from '../../compiler/load/budget.ts';
import { boundaryOf, fromCwd, isInside, joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import type { Refusal } from '../command/refusal.ts';
import { headState, planRoot, stateIn } from '../files/states.ts';
import { readStream, STDIN } from '../files/streams.ts';
import type { Host } from '../host.ts';

/**
 * The states that the operands name: paths below the working directory and standard input are one, and so are the paths of
 * each other repository. Outside of git each folder is a state of its own.
 *
 * @returns the reason instead if an operand is invalid
 */
export function validatedStates(
  host: Host,
  operands: readonly string[],
  out: string,
  budget: Budget,
): readonly State[] | Refusal {
  const isPath = (operand: string): boolean => operand !== STDIN;
  const hasStdin = !operands.every(isPath);
  const paths = operands.filter(isPath).map((path) => fromCwd(host, path));
  const here = paths.filter((path) => isInside(path, host.cwd));
  if (!hasStdin && paths.length <= 1 && paths.length === here.length) {
    const state = headState(host, here, out, budget);
    return 'problem' in state ? state : [state];
  }
  const states: State[] = [];
  if (hasStdin || here.length > 0) {
    const given = hasStdin ? readStream(host, STDIN, false) : undefined;
    if (given !== undefined && 'problem' in given) return given;
    const state = stateIn(host, planRoot(host, host.cwd, budget), here, out);
    if ('problem' in state) return state;
    states.push(given === undefined ? state : { ...state, given: [given] });
  }
  const elsewhere = new Map<string, string[]>();
  for (const path of paths.filter((each) => !isInside(each, host.cwd))) {
    const folder = host.inspect(path)?.kind === 'folder' ? path : joinPath(path, '..');
    const { folder: repository, isRepository } = boundaryOf(host, folder, folder);
    const key = isRepository ? repository : folder;
    elsewhere.set(key, [...(elsewhere.get(key) ?? []), path]);
  }
  for (const [boundary, own] of elsewhere) {
    const state = stateIn(host, planRoot(host, rootFor(host, boundary, own), budget), own, out);
    if ('problem' in state) return state;
    states.push(state);
  }
  return states;
}

/** The one folder given, as in the working directory; otherwise what contains all of the paths. */
function rootFor(host: Host, boundary: string, paths: readonly string[]): string {
  const [only] = paths;
  if (only !== undefined && paths.length === 1)
    return host.inspect(only)?.kind === 'folder' ? only : joinPath(only, '..');
  return boundary;
}
