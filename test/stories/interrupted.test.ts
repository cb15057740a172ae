import { describe, expect, test } from 'vitest';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { sampled } from '../lanes.ts';
import { createStoryCluster, type StoryCluster } from './stage.ts';
import { stories } from './stories.ts';
import type { Story } from './story.ts';
import { restored } from '../conformance/disturbances.ts';
import { intercepting } from 'kruise-sandbox';

/** At how many calls of each story the runtime ends, spread evenly. */
const ENDS = [1, 2, 3, 4, 5];

/** Stories that check exact times or the order of reports, or that change something at a fixed time. */
const timed = [
  'abort-then-git',
  'check-prometheus-passes',
  'crashes-in-the-first-batch',
  'git-revert-after-success',
  'git-revert-then-next-change',
  'hook-pre-delete',
  'kubectl-edit',
  'one-at-a-time',
  'paused-for-an-hour',
  'paused-mid-run',
  'plan-replaced-at-every-sync',
  'quota-is-used-up',
  'reverted-change-again',
  'scaled-to-zero-mid-batch',
];

/**
 * Stories in which some pods are chosen, to delete, to drain or to update: which ones depends on when each became ready. Or in
 * which an object comes back: the names of its pods hang on its new uid.
 */
const choosing = [
  'autoscaler',
  'break-glass-expires',
  'check-nodes-fails',
  'check-pods-fails',
  'hotfix-meets-restarting-pods',
  'hotfix-mid-run',
  'lost-pods-while-held',
  'node-drained-during-a-soak',
  'nothing-fits-and-it-goes-back',
  'partition-2-then-0-manifest-first',
  'run-pruned-half-way',
  'scaled-to-zero-while-held',
  'schedule-bad-script',
  'schedule-held',
  'schedule-in-waves',
  'schedule-missed',
  'two-plans-for-one-target',
];

const told = stories
  .filter(({ file }) => !timed.includes(file))
  .map((story) => [story.title, story] as const);

/** Plays a golden story, with all its expectations, with another runtime. */
async function report(
  { play, ...options }: Story,
  start: NonNullable<Parameters<typeof createStoryCluster>[0]['start']>,
) {
  const stage = await createStoryCluster({ ...options, start });
  await play(stage, expect);
  const end = await endOf(stage, options.file);
  await stage.stop();
  return end;
}

async function endOf(stage: StoryCluster, story: string) {
  const pods = await stage.pods();
  const images = pods.map((pod) => pod.spec.containers[0]?.image);
  return choosing.includes(story)
    ? images.map(String).sort(compareCodePoints)
    : images.map((image, n) => [pods[n]?.metadata.name, image]);
}

/** A runtime whose calls are counted in `made`. */
function counted(options: RuntimeOptions, made: { calls: number }) {
  const cluster = intercepting(options.cluster, {
    async request(_call, send) {
      made.calls += 1;
      return send();
    },
    watch(_call, open, sink) {
      made.calls += 1;
      return open(sink);
    },
  });
  return createRuntime({ ...options, cluster });
}

describe('a golden story, and the runtime ends in the middle of it', () => {
  test('every story that is left out is there', () => {
    expect(told.length + timed.length).toBe(stories.length);
  });

  test.each(sampled('interrupted', told, 3, 16))('%s', { timeout: 60_000 }, async (_, story) => {
    const made = { calls: 0 };
    const expected = await report(story, (options) => counted(options, made));
    const failures: string[] = [];
    for (const place of sampled(story.file, ENDS, 1, 2)) {
      const at = Math.round((place * made.calls) / (ENDS.length + 1));
      let calls = 0;
      try {
        const end = await report(story, (options) =>
          restored(options, () => (++calls === at ? 'unanswered' : 'lives')),
        );
        expect(end).toEqual(expected);
      } catch (error) {
        failures.push(`after call ${at} of ${made.calls}: ${String(error)}`);
      }
    }
    expect(failures.join('\n')).toBe('');
  });
});
