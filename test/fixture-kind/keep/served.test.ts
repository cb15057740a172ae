import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { KEEP_ANNOTATION, SEAT_ANNOTATION } from './spec.ts';
import { keep, keepSite, type KeepSite, pod, SHOP } from './world.ts';

const names = Array.from({ length: 10 }, (_, index) => `web-${index}`);
const pods = names.map((name) => pod(name, 'doors'));

/** How a request ended: `done`, or code, reason and message of its refusal. */
async function ending(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'done';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, reason, message } = error.status;
    return `${code} ${reason} ${message}`;
  }
}

const evictionOf = (name: string, deleteOptions: object = {}): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: SHOP },
  deleteOptions,
});

function requests({ world }: KeepSite) {
  const user = world.cluster('user');
  return {
    remove: async (name: string, options: object = {}) =>
      ending(user.delete(resources.Pod, { namespace: SHOP, name }, options)),
    evict: async (name: string, options: object = {}) =>
      ending(user.create(resources.Pod, evictionOf(name, options), { subresource: 'eviction' })),
    create: async (each: KubeObject) => user.create(resources.Pod, each),
    async left(): Promise<string[]> {
      const { items } = await user.list(resources.Pod, { namespace: SHOP });
      return items.map(({ metadata }) => metadata.name);
    },
  };
}

const gone = (status: object): string[] => Object.keys((status as { taken?: object }).taken ?? {}).sort();

describe('two processes that ask for the same places', () => {
  test('let exactly two of ten pods go, and the others are refused by the name of the object', async () => {
    const site = await keepSite([keep('doors', { allowed: 2 }), ...pods]);
    const { remove, left } = requests(site);
    const ends = await Promise.all(names.map(async (name) => remove(name)));
    const refused = ends.filter((end) => end !== 'done');
    expect(refused).toHaveLength(8);
    const taken = gone(await site.statusOf('doors'));
    expect(taken).toHaveLength(2);
    for (const end of refused)
      expect(end).toBe(
        `403 Forbidden admission webhook "pods.keeps.test.plan.kruise.io" denied the request: Keep doors: 2 of 2 pods have gone: ${taken.join(', ')}`,
      );
    expect(await left()).toEqual(names.filter((name) => !taken.includes(name)));
    expect(site.asked).toEqual(names.map(() => '/disruptions/keeps.test.plan.kruise.io DELETE'));
  });

  test('let all pods go for which there are places, however many ask at once', async () => {
    const site = await keepSite([keep('doors', { allowed: 10 }), ...pods]);
    const { remove } = requests(site);
    expect(await Promise.all(names.map(async (name) => remove(name)))).toEqual(names.map(() => 'done'));
    expect(gone(await site.statusOf('doors'))).toEqual(names);
  });

  test('give each new pod a seat of its own, and refuse those for which there is none', async () => {
    const site = await keepSite([keep('doors', { seats: 4 })]);
    const { create } = requests(site);
    const seats: string[] = [];
    const ends = await Promise.all(
      names.map(async (name) =>
        ending(
          create(pod(name)).then(({ metadata: { annotations = {} } }) => {
            expect(annotations[KEEP_ANNOTATION]).toBe('doors');
            seats.push(annotations[SEAT_ANNOTATION] ?? '');
          }),
        ),
      ),
    );
    expect(seats.sort()).toEqual(['0', '1', '2', '3']);
    const refused = ends.filter((end) => end !== 'done');
    expect(refused).toHaveLength(6);
    for (const end of refused) expect(end).toMatch(/^403 Forbidden .*Keep doors: all 4 seats are given$/);
    expect(new Set(Object.values((await site.statusOf('doors'))['seats'] ?? {}))).toEqual(
      new Set([0, 1, 2, 3]),
    );
  });
});

describe('a review', () => {
  test('of an eviction is refused with 429', async () => {
    const site = await keepSite([keep('doors', { allowed: 1 }), ...pods]);
    const { evict } = requests(site);
    expect(await evict('web-0')).toBe('done');
    expect(await evict('web-1')).toBe(
      '429 TooManyRequests admission webhook "evictions.keeps.test.plan.kruise.io" denied the request: Keep doors: 1 of 1 pods have gone: web-0',
    );
    expect(site.asked).toEqual(['web-0', 'web-1'].map(() => '/disruptions/keeps.test.plan.kruise.io CREATE'));
  });

  test('of a dry run records nothing, whoever says that it is one', async () => {
    const site = await keepSite([keep('doors', { allowed: 1, seats: 1 }), ...pods]);
    const { remove, evict } = requests(site);
    const user = site.world.cluster('user');
    expect(await remove('web-0', { dryRun: true })).toBe('done');
    expect(await evict('web-0', { dryRun: ['All'] })).toBe('done');
    await user.create(resources.Pod, pod('new'), { dryRun: true });
    expect(await site.statusOf('doors')).toEqual({});
    // The creation is asked about for the kind, and for sidecars.
    expect(site.asked).toHaveLength(4);
    expect(await remove('web-0')).toBe('done');
    expect(gone(await site.statusOf('doors'))).toEqual(['web-0']);
    expect(await remove('web-1', { dryRun: true })).toMatch(/^403 /);
  });

  test('of a change is answered by the rules for changes', async () => {
    const site = await keepSite([keep('doors', { allowed: 1 }), ...pods]);
    const user = site.world.cluster('user');
    const change = async (name: string, metadata: object): Promise<string> =>
      ending(
        user.patch(resources.Pod, { namespace: SHOP, name }, { type: 'merge', body: { metadata } as never }),
      );
    expect(await change('web-0', { labels: { a: 'b' } })).toBe('done');
    expect(await change('web-0', { annotations: { [KEEP_ANNOTATION]: null } })).toMatch(
      /^403 Forbidden .*Keep doors: pod web-0 must stay linked$/,
    );
    expect(await site.statusOf('doors')).toEqual({});
  });

  test('is not asked for about a pod that nothing covers, and one that names no object is allowed without a write', async () => {
    const other = pod('other');
    const site = await keepSite([keep('doors'), other, pod('lost', 'nothing')]);
    const { remove } = requests(site);
    expect(await remove('other')).toBe('done');
    expect(site.asked).toEqual([]);
    expect(await remove('lost')).toBe('done');
    expect(site.asked).toHaveLength(1);
    expect(site.world.log.filter(({ verb, user }) => user === 'kruise' && verb === 'patch')).toEqual([]);
  });
});

describe('an object that no rule reads', () => {
  test('stops neither the others nor its pods, and is counted', async () => {
    const site = await keepSite([
      keep('broken', { selector: {} }),
      keep('doors', { allowed: 0 }),
      keep('large', { selector: { a: 'x'.repeat(300_000) }, allowed: 0 }),
      pod('a', 'broken'),
      pod('b', 'large'),
      pod('c', 'doors'),
    ]);
    const { remove } = requests(site);
    expect(await remove('a')).toBe('done');
    expect(await remove('b')).toBe('done');
    expect(await remove('c')).toMatch(/^403 .*Keep doors: 0 of 0 pods have gone/);
    expect(site.lines).toContain('Keep broken is left out: spec.selector must not be empty');
    const metrics = await (await fetch(`http://127.0.0.1:${site.admissions[0]?.port ?? 0}/metrics`)).text();
    expect(metrics).toContain('kruise_admission_objects_left_out 2\n');
  });

  test('or whose rules end in an error stops neither, and is counted', async () => {
    const site = await keepSite(
      [
        keep('doors', { allowed: 1 }),
        pod('a', 'doors', {
          annotations: { [KEEP_ANNOTATION]: 'doors', 'test.plan.kruise.io/breaks-the-rules': 'x' },
        }),
      ],
      1,
    );
    const { remove } = requests(site);
    expect(await remove('a')).toBe('done');
    const metrics = await (await fetch(`http://127.0.0.1:${site.admissions[0]?.port ?? 0}/metrics`)).text();
    expect(metrics).toContain('kruise_admission_unreviewed_total{reason="unrecorded"} 1\n');
  });
});

test('an outage concerns the pods that a Keep covers, and no others; evictions go on', async () => {
  const site = await keepSite([keep('doors', { allowed: 9 }), pod('other'), ...pods]);
  const { remove, evict, create } = requests(site);
  for (const each of site.admissions) await each.stop();
  expect(await remove('other')).toBe('done');
  expect(await remove('web-0')).toMatch(/^500 .*failed calling webhook "pods.keeps.test.plan.kruise.io"/);
  expect(await evict('web-1')).toBe('done');
  expect((await create(pod('new'))).metadata.annotations ?? {}).toEqual({});
  // The runtime takes its places itself: an outage of the admission must not stop a rollout.
  const runtime = site.world.cluster('system:serviceaccount:kruise-system:kruise-runtime');
  expect(await ending(runtime.delete(resources.Pod, { namespace: SHOP, name: 'web-2' }))).toBe('done');
});
