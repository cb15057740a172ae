import { afterEach, expect, test, vi } from 'vitest';
import { createVirtualClock } from 'kruise-sandbox';
import { createRuntime } from '../../runtime/runtime.ts';
import { createShadow } from '../../runtime/shadow/shadow.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { rackDefinitions } from '../fixture-kind/definitions.ts';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import { everyKind } from './matrix.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
});

const MINUTE = 60_000;

test.each(everyKind)(
  'shadow finds no difference beside a controller of a %s that acts alike',
  async (name, { refused }) => {
    const [{ objects } = { objects: [] }] = Object.values(refused);
    const clock = createVirtualClock(Date.UTC(2026, 0, 1));
    const world = injectingWorld(clock, { namespaces: ['ops'], crds: [...crds, ...rackDefinitions] });
    const user = world.cluster('user');
    const manager = createRuntime({ cluster: world.cluster('manager'), clock, policy: 'Auto' });
    manager.start();
    await clock.settle();
    for (const { plural, object } of objects) {
      const resource = [...kinds.map((kind) => kind.resource), resources.Pod].find(
        (each) => each.plural === plural,
      );
      if (resource === undefined) throw new Error(`there is no resource ${plural}`);
      await user.create(resource, object);
      await clock.advance(MINUTE);
    }
    const findings: string[] = [];
    const shadow = createShadow({
      cluster: world.cluster('shadow'),
      clock,
      policy: 'Auto',
      targets: kinds.filter(({ id }) => id.kind === name).map((kind) => ({ kind, resource: kind.resource })),
      onFinding: (_, { verdict, text }) => {
        if (verdict !== 'same') findings.push(text);
      },
      onRefused: (_, fields) => findings.push(fields.join()),
      onForbidden: (plural) => findings.push(plural),
      onWatchLost: (_, error) => {
        throw error;
      },
    });
    end = async () => {
      shadow.stop();
      void manager.stop();
      world.stop();
      await clock.settle();
    };
    shadow.start();
    await clock.advance(5 * MINUTE);
    expect(shadow.counts().targets).toBe(1);
    expect(findings).toEqual([]);
  },
);
