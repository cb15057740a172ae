import type { CheckStep, PullStep, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { formatDuration, parseDuration } from '../../semantics/values/duration.ts';
import { shorten } from '../text/escape.ts';

/** What a gate waits for. */
export function gateText(step: Step): string {
  if (step.soak !== undefined) {
    const ms = parseDuration(step.soak.for);
    return `soak for ${ms === undefined ? step.soak.for : formatDuration(ms)}`;
  }
  return step.check === undefined ? 'wait for approval' : checkText(step.check);
}

const LONGEST_ARGS = 120;

/** The check, its arguments, and for how long it must pass. */
function checkText({ use, args = {}, for: time }: CheckStep): string {
  const pairs = Object.entries(args).map(([name, value]) => `${name}=${value}`);
  const shown = pairs.length === 0 ? '' : ` (${shorten(pairs.join(', '), LONGEST_ARGS)})`;
  const ms = parseDuration(time ?? '') ?? 0;
  return `check ${use}${shown}: must pass ${ms === 0 ? 'once' : `for ${formatDuration(ms)}`}`;
}

const LONGEST_IMAGES = 120;

/** The images that are pulled, and to how many nodes at a time. */
export function pullText({ images, parallelism = 1 }: PullStep): string {
  const nodes = parallelism === 1 ? 'one node' : `${parallelism} nodes`;
  return `pull ${shorten(images.join(', '), LONGEST_IMAGES)} to the nodes, ${nodes} at a time`;
}
