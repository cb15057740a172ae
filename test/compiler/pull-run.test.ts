import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { type Files, planned } from './world/history.ts';

const PLAN = 'plans/shop/imagepulljob-ahead/plan.yaml';
const EMPTY: Files = { 'notes.txt': '' };

interface Parts {
  image?: string;
  policy?: string;
  spec?: string;
}

function job({ image = 'web:1', policy = 'Required', spec = '' }: Parts = {}): Files {
  const annotations = policy === '' ? '' : `, annotations: {plan.kruise.io/policy: ${policy}}`;
  return {
    'pull.yaml': `apiVersion: apps.kruise.io/v1beta1
kind: ImagePullJob
metadata: {name: ahead, namespace: shop${annotations}}
spec: {image: "${image}", parallelism: 5, completionPolicy: {}${spec}}
`,
  };
}

const config: Files = {
  'kruise.yaml': `steps:
- match: {kind: ImagePullJob}
  batches: [{to: 1}, {to: 10%}, {to: 100%}]
  between: {soak: 10m}
assume: {nodes: 40}
`,
};

const plansOf = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith('plans/')));

async function committed(base: Files, head: Files): Promise<{ files: Files; out: string }> {
  const { code, host, files } = await planned(base, { ...plansOf(base), ...head });
  expect({ code, err: host.err }).toMatchObject({ code: 0 });
  return { files, out: host.out };
}

describe('a job that asks for a plan', () => {
  test('gets the waves of its rule, each with its parallelism', async () => {
    const { files } = await committed(EMPTY, { ...job(), ...config });
    const plan = parse(files[PLAN] ?? '') as RolloutPlan;
    expect(validateRolloutPlan(plan)).toEqual([]);
    expect(plan.spec).toMatchObject({
      target: { kind: 'ImagePullJob', name: 'ahead' },
      from: [],
      steps: [
        { run: { to: 1, parallelism: 5 } },
        { soak: { for: '10m' } },
        { run: { to: '10%', parallelism: 5 } },
        { soak: { for: '10m' } },
        { run: { to: '100%', parallelism: 5 } },
      ],
    });
  });

  test('another image or pull policy is another run, other nodes are not', async () => {
    const { files } = await committed(EMPTY, { ...job(), ...config });
    const changed = async (parts: Parts): Promise<string | undefined> => {
      const next = await committed(files, { ...job(parts), ...config });
      return (parse(next.files[PLAN] ?? '') as RolloutPlan).spec.to.hash;
    };
    const { hash } = (parse(files[PLAN] ?? '') as RolloutPlan).spec.to;
    expect(await changed({ image: 'web:2' })).not.toBe(hash);
    expect(await changed({ spec: ', imagePullPolicy: Always' })).not.toBe(hash);
    expect(await changed({ spec: ', selector: {names: [node-1]}' })).toBe(hash);
  });

  test('reviewers read of pulls, and of no program that runs', async () => {
    const first = await committed(EMPTY, { ...job(), ...config });
    expect(first.out).toContain('ImagePullJob shop/ahead: new run, one pull to each node that it selects\n');
    const sentences = [
      'Its image is pulled once to each node that it selects.',
      'Its pods run no program of the image, and ask for nothing of their node.',
      'At most 5 of 40 nodes pull it at one time.',
      'A failed pull stops it: it begins on no further node.',
      'After the end it pulls to no further node.',
      'Not reversible: what a node has pulled stays there, and a run cannot go back.',
    ];
    for (const sentence of sentences) expect(first.out).toContain(sentence);
    const plan = parse(first.files[PLAN] ?? '') as RolloutPlan;
    expect(plan.spec.irreversible).toBe('what a node has pulled stays there, and a run cannot go back');
    const spec = ', completionPolicy: {type: Never}';
    const text = job({ image: 'web:2' })['pull.yaml']!.replace(', completionPolicy: {}', spec);
    const next = await committed(first.files, { 'pull.yaml': text, ...config });
    expect(next.out).toContain('one pull to each node that it selects; what it pulls changed\n');
    expect(next.out).toContain(
      'Another image is another run: nodes that have the one before pull this one, too.',
    );
    expect(next.out).toContain(
      'After the end, nodes that join pull it without a gate (completionPolicy Never).',
    );
    expect(`${first.out}${next.out}`).not.toMatch(
      /Its pod runs|it runs on|run it at|ran on a node|confined to its containers/,
    );
  });

  test('without the annotation it is reconciled at once, and has no plan', async () => {
    const { files, out } = await committed(EMPTY, { ...job({ policy: '' }), ...config });
    expect(Object.keys(plansOf(files))).toEqual([]);
    expect(out).toContain('ImagePullJob shop/ahead');
  });

  test('an annotation that comes or goes deletes nothing', async () => {
    const without = { ...job({ policy: '' }), ...config };
    const [gated, free] = [
      await committed(without, { ...job(), ...config }),
      await committed({ ...job(), ...config }, without),
    ];
    for (const { out } of [gated, free]) expect(out).not.toMatch(/^ +- ImagePullJob/m);
    expect(Object.keys(plansOf(gated.files))).toContain(PLAN);
    expect(Object.keys(plansOf(free.files))).toEqual([]);
  });

  test('other Secrets are an error: no server takes them', async () => {
    const { files } = await committed(EMPTY, { ...job(), ...config });
    const head = { ...plansOf(files), ...job({ spec: ', pullSecrets: [key]' }), ...config };
    const { code, host } = await planned(files, head);
    expect([code, host.err]).toEqual([1, expect.stringContaining('pullSecrets')]);
  });

  test.each([[', parallelism: 0', 'must be at least 1, or no image is ever pulled']])(
    '%s is an error',
    async (_, message) => {
      const text = job()['pull.yaml']!.replace('parallelism: 5', 'parallelism: 0');
      const { code, host } = await planned(EMPTY, { 'pull.yaml': text });
      expect([code, host.err]).toEqual([1, expect.stringContaining(message)]);
    },
  );
});
