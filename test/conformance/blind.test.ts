import { describe, expect, test, vi } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { PROGRESS_ANNOTATION } from '../../semantics/plan/memory.ts';
import { blinded } from './blinded.ts';
import { outcome } from './compare.ts';
import { optionsOf, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { type Disturbance, play } from './play.ts';
import { worldsFor } from './worlds.ts';
import type { Call } from 'kruise-sandbox';

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
      const options = optionsOf(here, errors);
      const blindness = { lost, begins: beginsSoak, afterMs: AFTER_MS, forMs: BLIND_MS };
      const runtime = createRuntime({ ...options, cluster: blinded(options.cluster, here.clock, blindness) });
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

const drawn = drawnWorlds('blind', worldsFor.blind);

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
