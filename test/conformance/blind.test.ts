import { describe, expect, test, vi } from 'vitest';
import type { WatchSink } from '../../schemas/wire/cluster.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { PROGRESS_ANNOTATION } from '../../semantics/plan/memory.ts';
import { outcome } from './compare.ts';
import { optionsOf, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { historiesOf } from './histories.ts';
import { type Disturbance, play } from './play.ts';
import { type Call, intercepting } from 'kruise-sandbox';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

/** From the start of a soak until the runtime sees nothing any more, and how long it does not, milliseconds. */
const AFTER_MS = 10_000;
const BLIND_MS = 12_000;
/** It tries again only now and then. */
const SLACK_MS = 30_000;

/** One runtime whose watches end in the middle of a soak, and that can neither watch nor list for a while. */
function blind(lost: Error): Disturbance {
  return {
    leniencyMs: BLIND_MS,
    start(here, errors) {
      const { clock } = here;
      const options = optionsOf(here, errors);
      const open = new Set<WatchSink>();
      let seesFrom = -Infinity;
      let isOver = false;
      const goBlind = (): void => {
        seesFrom = clock.now() + BLIND_MS;
        for (const sink of open) {
          open.delete(sink);
          sink.onEnd(lost);
        }
      };
      const cluster = intercepting(options.cluster, {
        async request(call, send) {
          if (call.verb === 'list' && clock.now() < seesFrom) throw lost;
          if (!isOver && beginsSoak(call)) {
            isOver = true;
            clock.after(AFTER_MS, goBlind);
          }
          return send();
        },
        watch(_call, begin, sink) {
          if (clock.now() < seesFrom) {
            const cancel = clock.after(0, () => sink.onEnd(lost));
            return { stop: cancel };
          }
          open.add(sink);
          const handle = begin({
            onOpen: () => sink.onOpen?.(),
            onEvent: (event) => open.has(sink) && sink.onEvent(event),
            onEnd: (error) => open.delete(sink) && sink.onEnd(error),
          });
          return {
            stop() {
              open.delete(sink);
              handle.stop();
            },
          };
        },
      });
      const runtime = createRuntime({ ...options, cluster });
      runtime.start();
      return { stop: () => void runtime.stop() };
    },
  };
}

function beginsSoak({ resource, sends }: Call): boolean {
  const { metadata } = (sends ?? {}) as { metadata?: { annotations?: Record<string, string> } };
  return (
    resource.kind === 'ControllerRevision' &&
    metadata?.annotations?.[PROGRESS_ANNOTATION]?.includes('"phase":"Soaking"') === true
  );
}

const drawn = drawnWorlds('blind', (subject) =>
  subject.changes.flatMap((change) =>
    historiesOf(subject, change).filter(({ title }) => title.endsWith('one, a soak, an approval, all')),
  ),
);

describe.each(drawn)('$title: a soak counts no time in which nothing is observed', ({ subject, worlds }) => {
  test.each(worlds.map((world) => [world.title, world] as const))('%s', async (_title, world) => {
    const lost = new Error('injected: the connection is lost');
    const expected = await play(subject, world, undisturbed());
    const played = await play(subject, world, blind(lost));
    const aspect = outcome((error) => error === lost);
    expect(aspect(played, world)).toEqual(aspect(expected, world));
    const later = played.tookMs - expected.tookMs;
    expect(later).toBeGreaterThanOrEqual(BLIND_MS);
    expect(later).toBeLessThan(BLIND_MS + SLACK_MS);
  });
});
