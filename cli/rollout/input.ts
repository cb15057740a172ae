import { forTerminal } from '../../compiler/text/escape.ts';
import { textOf } from '../cluster/cluster.ts';
import type { Options } from '../command/command.ts';
import type { Host } from '../host.ts';
import type { Verb } from './actions.ts';
import { fromNow } from './date-time.ts';
import type { CommandInput } from './rollout-command.ts';

/** What a printed object needs, and a sent one does not. */
export const SENDER =
  'the shipped policies want spec.by to be the account that applies it: name that of the GitOps engine, or your own, with --by';

/** The input of a command by its options. */
export function inputOf(options: Options): CommandInput {
  return {
    digest: textOf(options, 'digest'),
    step: textOf(options, 'step'),
    by: textOf(options, 'by'),
    reason: textOf(options, 'reason'),
    expires: textOf(options, 'expires'),
  };
}

/** The input with an expiry given as a duration converted to a point in time. */
export function until(input: CommandInput, now: number): CommandInput {
  return input.expires === undefined ? input : { ...input, expires: fromNow(input.expires, now) };
}

/** Says something about a command beside its answer; undefined: nothing. */
export function note(host: Host, verb: Verb, text: string | undefined): void {
  if (text !== undefined) host.stderr(`kruise ${verb}: ${forTerminal(text)}\n`);
}
