import { forTerminal } from '../text/escape.ts';
import type { AddedGate } from './gates.ts';
import type { PlacedWorkload } from './placed.ts';
import { type LoweredVerdict, type Names, rowText, textOfNames } from './verdict.ts';

/** What a build did to an object. */
interface How {
  lowered: LoweredVerdict | undefined;
  added: AddedGate | undefined;
  workload: PlacedWorkload | undefined;
}

/** The comment before what was built: each text is one line, whatever its source holds. */
export function commentOf(from: string, names: Names | undefined, how: How): string[] {
  const what = names === undefined ? '' : `: ${textOfNames(names)}`;
  const { lowered } = how;
  return [
    `Built by kruise build from ${from}${what}, ${howText(how)}. Change the source, not this.`,
    ...(lowered?.losses ?? []).map((row) => `- lost: ${rowText(row)}`),
  ].map(forTerminal);
}

function howText({ lowered, added, workload }: How): string {
  if (lowered?.into !== undefined) return `${lowered.verdict}, in the template of ${lowered.into}`;
  if (lowered !== undefined) return lowered.verdict;
  if (workload !== undefined) return `with ${workload.from} in its template`;
  return added === undefined ? 'whose reference follows' : `with the scheduling gate ${added.gate}`;
}
