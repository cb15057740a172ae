import { describe, expect, test } from 'vitest';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { plannedKinds } from '../../semantics/registry/registry.ts';
import { sampled } from '../lanes.ts';
import { STYLES } from './engines/engine.ts';
import { othersOf } from './engines/ownership.ts';
import { recorded, type Site } from './health/record.ts';
import { begin, rollOut, scripts } from './health/scripts.ts';

const cases = plannedKinds.flatMap((kind) =>
  STYLES.map((style) => [`${kind.id.kind}, applied by ${style}`, kind, style] as const),
);

/** Whoever has written fields of target and plan beside an engine. */
async function strangers(site: Site): Promise<string[]> {
  return (await site.see()).flatMap((object) => (object === undefined ? [] : othersOf(object)));
}

const alone = new Map<string, ReturnType<typeof recorded>>();

/** The states without an engine: they are the same for each style, so a kind plays a script once. */
function statesAlone(kind: PlannedKind, script: (typeof scripts)[number]): ReturnType<typeof recorded> {
  const key = `${kind.id.kind} ${script.name}`;
  const states = alone.get(key) ?? recorded(kind, script);
  alone.set(key, states);
  return states;
}

/** How many of the kinds in each style the full lane plays. */
const IN_FULL = 10;

describe.each(sampled('engines of kinds', cases, plannedKinds.length, IN_FULL))(
  'a %s',
  (_title, kind, style) => {
    test.each(scripts.map((script) => [script.name, script] as const))(
      'comes through the same states while it is healed: %s',
      async (_name, script) => {
        const found: string[] = [];
        const states = await recorded(
          kind,
          async (site) => {
            await script(site);
            found.push(...(await strangers(site)));
          },
          style,
        );
        const wanted = await statesAlone(kind, script);
        expect(states.map(({ state }) => state)).toEqual(wanted.map(({ state }) => state));
        expect(found).toEqual([]);
      },
    );

    test.each(['plan', 'target'] as const)('does not come back after a prune, %s first', async (first) => {
      let left: unknown[] = ['nothing was looked at'];
      await recorded(
        kind,
        async (site) => {
          await begin(site);
          await rollOut(site, 'web:2');
          await site.until('Soaking');
          await site.remove(first);
          await site.run(5);
          left = (await site.see()).filter((object) => object !== undefined);
        },
        style,
      );
      expect(left).toEqual([]);
    });
  },
);
