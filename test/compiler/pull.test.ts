import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { advancedCronJob } from './world/schedule-cases.ts';
import { cloneSet, kruise, type CloneSetParts } from './world/manifests.ts';

const RULE = 'steps: [{match: {}, pull: {parallelism: 5, timeout: 10m}, timeout: 20m, onFailure: Revert}]';

interface Planned {
  rule?: string;
  base?: CloneSetParts;
  head?: CloneSetParts;
  args?: string[];
}

/** The steps of the plan, and what the command printed. */
async function planned({
  rule = RULE,
  base = {},
  head = {},
  args,
}: Planned): Promise<{ steps: Step[]; out: string }> {
  const { host, code } = await kruise(
    {
      'base/web.yaml': cloneSet(base),
      'head/web.yaml': cloneSet(head),
      'head/kruise.yaml': rule,
    },
    args === undefined ? {} : { args },
  );
  expect(code, host.err).toBe(0);
  const path = '/repo/head/plans/shop/cloneset-web/plan.yaml';
  const plan = parse(String(host.files.get(path) ?? 'spec: {steps: []}')) as RolloutPlan;
  return { steps: plan.spec.steps, out: host.out };
}

const second = (image: string): string => `      - {name: side, image: "${image}"}`;
const init = (image: string): string => `      initContainers: [{name: init, image: "${image}"}]`;

describe('the step that pulls', () => {
  test('comes first, with the images that change, and the settings of the rule', async () => {
    const { steps } = await planned({ base: { image: 'nginx:1' }, head: { image: 'nginx:2' } });
    expect(steps.map(({ id }) => id)).toEqual(['pull', 'update']);
    expect(steps[0]).toEqual({
      id: 'pull',
      pull: { images: ['nginx:2'], parallelism: 5 },
      timeout: '10m',
      onFailure: 'Revert',
    });
  });

  test.each<[what: string, base: CloneSetParts, head: CloneSetParts, images: string[]]>([
    ['a container that is new', {}, { container: second('side:1') }, ['side:1']],
    ['an init container', { pod: init('init:1') }, { pod: init('init:2') }, ['init:2']],
    [
      'two of them, sorted, each once',
      { image: 'nginx:1', container: second('side:1') },
      { image: 'z:2', container: `${second('a:2')}\n      - {name: more, image: "z:2"}` },
      ['a:2', 'z:2'],
    ],
    ['an image that another container had', { container: second('side:1') }, { image: 'side:1' }, []],
    ['none', {}, { pod: '      terminationGracePeriodSeconds: 5' }, []],
  ])('%s', async (_, base, head, images) => {
    const { steps } = await planned({ base, head });
    expect(steps.flatMap(({ pull }) => pull?.images ?? [])).toEqual(images);
  });

  test('takes timeout and failure from the rule, and has neither where nobody says so', async () => {
    const change = { base: { image: 'nginx:1' }, head: { image: 'nginx:2' } };
    const ofRule = 'steps: [{match: {}, pull: {}, timeout: 20m, onFailure: Revert}]';
    const pull = { images: ['nginx:2'], parallelism: 1 };
    expect((await planned({ ...change, rule: ofRule })).steps[0]).toEqual({
      ...{ id: 'pull', pull, timeout: '20m', onFailure: 'Revert' },
    });
    expect((await planned({ ...change, rule: 'default: {pull: {}}' })).steps[0]).toEqual({
      id: 'pull',
      pull,
    });
    const own = 'steps: [{match: {}, pull: {onFailure: Halt}, onFailure: Revert}]';
    expect((await planned({ ...change, rule: own })).steps[0]).toEqual({
      id: 'pull',
      pull,
      onFailure: 'Halt',
    });
  });

  test('is not there without a rule that asks for it', async () => {
    const rule = 'steps: [{match: {}}]';
    const { steps } = await planned({ rule, base: { image: 'nginx:1' }, head: { image: 'nginx:2' } });
    expect(steps.map(({ id }) => id)).toEqual(['update']);
  });

  test('is in the forecast', async () => {
    const { out } = await planned({ base: { image: 'nginx:1' }, head: { image: 'nginx:2' } });
    expect(out).toContain('> pull    pull nginx:2 to the nodes, 5 nodes at a time');
    expect(out).toContain(
      'First the images that change are pulled to every node that the pods may run on, within 10m.',
    );
  });

  test('is in an explanation of the target, for the next change', async () => {
    const { host, code } = await kruise(
      { 'web.yaml': cloneSet(), 'kruise.yaml': RULE },
      { args: ['explain', 'cloneset/web'] },
    );
    expect(code, host.err).toBe(0);
    expect(host.out).toContain('pull the images that change to the nodes, 5 nodes at a time');
  });

  test('a schedule has none: its plans pull nothing', async () => {
    const { host, code } = await kruise({
      'base/tidy.yaml': advancedCronJob({ image: 'tidy:1' }),
      'head/tidy.yaml': advancedCronJob({ image: 'tidy:2' }),
      'head/kruise.yaml': RULE.replace('onFailure: Revert', 'onFailure: Halt'),
    });
    expect(code, host.err).toBe(0);
    expect(host.err).toContain('KR4036');
    const plan = parse(
      String(host.files.get('/repo/head/plans/ops/advancedcronjob-tidy/plan.yaml')),
    ) as RolloutPlan;
    expect(plan.spec.steps.map(({ id }) => id)).toEqual(['update']);
  });
});

test.each(['parallelism: 0', 'parallelism: 50%', 'timeout: soon', 'onFailure: Stop', 'images: [nginx]'])(
  'pull: {%s} is an error',
  async (field) => {
    const { host, code } = await kruise({
      'base/web.yaml': cloneSet(),
      'head/web.yaml': cloneSet({ image: 'nginx:2' }),
      'head/kruise.yaml': `steps: [{match: {}, pull: {${field}}}]`,
    });
    expect(code).toBe(1);
    expect(host.err).toMatch(/error\[KR20\d\d\]: .*\n +--> head\/kruise\.yaml:1:/);
  },
);
