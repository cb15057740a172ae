import { forJson, shorten } from '../../compiler/text/escape.ts';
import { exitCode, type Options } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import type { Host } from '../host.ts';

/** The longest summary that a reader of the document takes. */
const LONGEST = 300;

/** Prints why nothing is compared, and with `-o json` a document about it: whoever reads that has to find one. */
export function refuse(host: Host, refusal: Refusal, options: Options): number {
  reportRefusal(host, 'plan', refusal);
  const { problem, help } = refusal;
  if (options['output'] === 'json')
    host.stdout(
      forJson({
        ...{ format: '1', known: false, summary: shorten(problem, LONGEST), refused: { problem, help } },
        ...{ groups: [], changes: [], files: [], diagnostics: [] },
      }),
    );
  return exitCode.error;
}
