import { expect, test } from 'vitest';
import { rolloutsReader } from '../../../cli/run/page.ts';
import { statusPage } from '../../../cli/status/page.ts';
import { statusesOf } from '../../../cli/status/read.ts';
import { LIVE_STATES } from '../../../compiler/render/page/live.ts';
import type { Clock } from '../../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { HOSTILE, unsafeIn } from '../../security/hostile.ts';
import { expectGolden } from '../../golden.ts';
import { asking, held, is, NOW, plan, statusObjects, target } from './objects.ts';

const all = statusObjects({
  targets: [
    target('web', { updatedReplicas: 1, availableReplicas: 3 }),
    target('api', { ...held('NoPlan', 'the template changed and no plan covers it') }),
    target('evil', { updatedReplicas: 1 }),
    target('calm'),
    target('busy', { updatedReplicas: 2 }),
  ],
  plans: [
    asking,
    plan('busy', { phase: 'Running', step: 'batch-1', steps: '1/6' }),
    plan('evil', {
      phase: 'Halted',
      step: 'batch-1',
      steps: '1/6',
      message: 'pods of the step do not become available',
      conditions: [is('Stalled', 'Halted')],
    }),
  ],
});

const headings = (page: string): string[] =>
  [...page.matchAll(/<h2>([^:<]*):/g)].map(([, heading = '']) => heading);

test('the page of a status has each target once, the most urgent first', () => {
  const page = statusPage(statusesOf(all), NOW);
  // The rest is the look of every page.
  expectGolden('status/page.html', page.slice(page.indexOf('<header>'), page.indexOf('<script>')));
  const order: readonly string[] = LIVE_STATES;
  const found = headings(page);
  expect(found).toEqual([...found].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
  for (const name of ['web', 'api', 'evil', 'calm', 'busy'])
    expect([name, page.split(`<h3>CloneSet shop/${name}</h3>`).length - 1]).toEqual([name, 1]);
  expect(page).toContain('kruise approve CloneSet/web -n shop --step approve-1');
  expect(page).not.toContain('data-reload="');
});

test.each(HOSTILE)('text of the cluster is text: %j', (text) => {
  const objects = statusObjects({
    targets: [target('web')],
    plans: [
      plan('web', { phase: 'Running', step: `<script>${text}`, waitingOn: text, message: `<img>${text}` }),
      plan(`<script>${text}`, undefined),
    ],
  });
  const page = statusPage(statusesOf(objects), NOW);
  expect(unsafeIn(page)).toEqual([]);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toContain('<img');
});

test.each(['x%', '', '%', '1e9%', '-5%', 'x'.repeat(9_000), Number.NaN, -1, 1e300, null, {}, []])(
  'a step of a size that nobody reviewed, %j, keeps no other target from the page',
  (to) => {
    const steps = [{ id: 'a', update: { to } }];
    const objects = statusObjects({
      targets: [target('web'), target('calm')],
      plans: [plan('web', { phase: 'Running', step: 'a' }, { steps })],
    });
    const page = statusPage(statusesOf(objects), NOW);
    expect(page).toContain('CloneSet shop/calm');
    expect(page).not.toMatch(/="(?:NaN|-?Infinity|-\d|\d+e)/);
  },
);

test('a page that is served has only what its reader may see', async () => {
  const elsewhere = target('secret');
  const cluster = {
    list: ({ kind }: Resource) =>
      Promise.resolve({
        metadata: { resourceVersion: '1' },
        items:
          kind === resources.CloneSet.kind
            ? [...all.targets, { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'hidden' } }]
            : kind === 'RolloutPlan'
              ? all.plans
              : [],
      }),
  } as unknown as Cluster;
  const read = await rolloutsReader({ now: () => NOW } as Clock)(cluster, undefined);
  expect(read.namespaces).toEqual(['hidden', 'shop']);
  const page = read.render(new Set(['shop']), false);
  expect(page).toContain('CloneSet shop/web');
  expect(page).not.toMatch(/secret|hidden\//);
  expect(page).toContain('data-reload="');
  expect(read.render(new Set(), true)).toMatch(
    /There is no target\.[^]*further namespaces[^]*\?namespace=NAME/,
  );
});
