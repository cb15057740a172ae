import { afterEach, describe, expect, test } from 'vitest';
import type { RuntimeProcess } from '../../runtime/process.ts';
import { startShadowProcess } from '../../runtime/shadow/process.ts';
import { createWatchCoverage } from '../../runtime/shadow/watch-coverage.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { createSite, type LogLine, type Site } from './process-world.ts';
import { accountConnection, permit } from './permitted.ts';
import { cloneSet } from './stage.ts';

const rules = [
  {
    apiGroups: ['apps.kruise.io'],
    resources: kinds.map(({ resource }) => resource.plural),
    verbs: ['list', 'watch'],
  },
  { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
];
const pods = { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] };

let site: Site | undefined;
let running: RuntimeProcess | undefined;
afterEach(async () => {
  await running?.stop();
  await site?.close();
  [site, running] = [undefined, undefined];
});

async function observe(here: Site): Promise<{ lines: LogLine[]; process: RuntimeProcess }> {
  const lines: LogLine[] = [];
  const process = await startShadowProcess({
    connection: accountConnection(here, 'shadow'),
    clock: here.clock,
    random: () => 0,
    version: '1.2.3',
    policy: 'Auto',
    log: { format: 'json', write: (line) => lines.push(JSON.parse(line) as LogLine) },
  });
  running = process;
  return { lines, process };
}

test('a kind that may not be listed is logged, and the others are compared', async () => {
  site = await createSite(60);
  const here = site;
  const [first, ...others] = kinds;
  const rule = { ...rules[0], resources: [first?.resource.plural ?? ''] };
  permit(here.world, 'shadow', [rule as (typeof rules)[number], ...rules.slice(1), pods]);
  await here.world.cluster('user').create(resources.CloneSet, cloneSet('web', 'web:1'));
  const { lines, process } = await observe(here);
  const end = here.clock.now() + 120_000;
  await here.until('two minutes', () => here.clock.now() >= end);
  await process.stop();
  const messages = lines.map(({ msg }) => msg);
  for (const { id, resource } of others)
    expect(messages).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${id.kind}s are not compared: .* cannot list resource "${resource.plural}"`),
      ),
    );
  expect(messages.at(-1)).toMatch(/^1 difference in [1-9] minutes?: .* 1 target, /);
}, 30_000);

describe('resources that may not be listed do not count as equal', () => {
  test('from the start: the process ends, and logs that nothing was compared', async () => {
    site = await createSite(60);
    permit(site.world, 'shadow', rules);
    const { lines, process } = await observe(site);
    expect(await process.failed).toMatchObject({ isFinal: true, problem: expect.stringMatching(/"pods"/) });
    await process.stop();
    expect(lines.at(-1)?.msg).toMatch(/^nothing was compared: .* cannot list resource "pods"/);
    expect(JSON.stringify(lines)).not.toContain('0 differences');
  });

  test('from some time on: the summary counts only the time in which everything was watched', async () => {
    site = await createSite(60);
    const here = site;
    const forbid = permit(here.world, 'shadow', [...rules, pods]);
    const { lines, process } = await observe(here);
    const watches = () => here.world.log.filter(({ verb }) => verb === 'watch').length;
    await here.until('it watches', () => watches() >= 3 + kinds.length);
    const twoMinutes = here.clock.now() + 120_000;
    await here.until('two minutes', () => here.clock.now() >= twoMinutes);
    forbid();
    permit(here.world, 'shadow', rules);
    await here.until('it is logged', () => lines.some(({ msg }) => msg.startsWith('pods cannot be watched')));
    const end = here.clock.now() + 180_000;
    await here.until('three minutes', () => here.clock.now() >= end);
    await process.stop();
    expect(lines.at(-1)?.msg).toMatch(
      /^0 differences in [2-9] minutes: .*\. Nothing was compared in [3-9] further minutes, because a watch was missing: pods cannot be watched: .* cannot (list|watch) resource "pods"/,
    );
  }, 30_000);
});

test('a resource that few targets need and may not be listed is logged, and the other targets are compared', async () => {
  site = await createSite(60);
  const here = site;
  permit(here.world, 'shadow', [...rules, pods]);
  const user = here.world.cluster('user');
  const topologySpreadConstraints = [
    { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
  ];
  const spread = cloneSet('web', 'web:1');
  const { template } = spread['spec'] as { template: { spec: object } };
  template.spec = { ...template.spec, topologySpreadConstraints };
  await user.create(resources.CloneSet, spread);
  const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: storage }];
  await user.create(resources.CloneSet, cloneSet('db', 'db:1', { volumeClaimTemplates }));
  const { lines, process } = await observe(here);
  const isLogged = (text: string): boolean => lines.some(({ msg }) => msg.startsWith(text));
  await here.until('both are logged', () =>
    ['CloneSets whose pods are spread', 'CloneSets and StatefulSets whose pods have'].every(isLogged),
  );
  const end = here.clock.now() + 180_000;
  await here.until('three minutes', () => here.clock.now() >= end);
  await process.stop();
  const messages = lines
    .map(({ msg }) => msg)
    .filter((msg) => /^CloneSets (and StatefulSets )?whose/.test(msg));
  expect(messages.sort()).toEqual([
    expect.stringMatching(/have claims are not compared: .* cannot list resource "persistentvolumeclaims"/),
    expect.stringMatching(/spread over zones are compared by node alone: .* cannot list resource "nodes"/),
  ]);
  // A machine that is busy may take a minute of this clock until everything is watched.
  expect(lines.at(-1)?.msg).toMatch(
    / in [2-9] minutes: .*\. 2 targets, of which 0 would not be taken over, and 1 not compared, because their claims may not be listed(\. Nothing was compared in \d+ further minutes?, because a watch was missing(: .*)?)?$/,
  );
}, 30_000);

test('the time in which everything was watched', async () => {
  const clock = createVirtualClock(0);
  const coverage = createWatchCoverage(clock, () => ['a', 'b']);
  coverage.found('a');
  await clock.advance(1_000);
  expect(coverage.durations()).toEqual({ watchedMs: 0, blindMs: 1_000, why: undefined });
  coverage.found('b');
  coverage.found('a');
  await clock.advance(2_000);
  coverage.lost('a', 'a is gone');
  coverage.lost('b', 'b is gone');
  await clock.advance(4_000);
  coverage.found('b');
  expect(coverage.durations()).toEqual({ watchedMs: 2_000, blindMs: 5_000, why: 'a is gone' });
  coverage.found('a');
  await clock.advance(8_000);
  expect(coverage.durations()).toEqual({ watchedMs: 10_000, blindMs: 5_000, why: undefined });
});
