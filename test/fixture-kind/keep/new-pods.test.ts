import { describe, expect, test } from 'vitest';
import { creationPath } from '../../../runtime/admit/configuration.ts';
import { ApiError } from '../../../schemas/wire/cluster.ts';
import type { KubeObject, OwnerReference } from '../../../schemas/wire/object.ts';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { keepKind } from './kind.ts';
import { creationBy, ofDeployment, RUNTIME, setup } from './reviews-world.ts';
import { keep, pod } from './world.ts';

/** A Keep that has a say in what the runtime decides, too. */
const influencing: Kind = {
  ...keepKind,
  influence: {
    protects: true,
    covers: () => false,
    labels: () => [],
    onDisrupt: () => undefined,
    onCreate: (_object, _owner, pods) => pods.map((each) => ({ pod: each, isRecorded: false })),
    record: () => ({}),
    raise: () => undefined,
    claim: () => undefined,
    deletionCost: () => () => undefined,
    git: { covers: () => () => false, limit: () => undefined, limitsEvictions: () => false },
  },
};

test.each<[string, Kind, string, object | undefined]>([
  ['is not asked about it again at its creation', influencing, RUNTIME, undefined],
  ['is asked about those of anybody else', influencing, 'mona', { new: 0 }],
])('a kind that has influenced the decision to create a pod %s', async (_, kind, user, seats) => {
  const { served, clock, statusOf } = await setup([keep('doors', { seats: 1 })], { kinds: [kind] });
  const answer = served.get(creationPath(keepKind))?.({ request: creationBy(user) });
  await clock.advance(10_000);
  const { patch } = objectOf((await answer)?.['response']);
  const { seats: given } = ((await statusOf('doors')) ?? {}) as { seats?: object };
  expect([patch !== undefined, given]).toEqual([seats !== undefined, seats]);
});

test('a kind without influence is asked about pods of the runtime, too', async () => {
  const { served, clock, statusOf } = await setup([keep('doors', { seats: 1 })]);
  void served.get(creationPath(keepKind))?.({ request: creationBy(RUNTIME) });
  await clock.advance(10_000);
  expect(await statusOf('doors')).toEqual({ seats: { new: 0 } });
});

describe('the controllers above a new pod', () => {
  const ofWeb = [keep('doors', { seats: 1, deployment: 'web' })];
  const linked = async ({ served, clock }: Awaited<ReturnType<typeof setup>>, object: KubeObject) => {
    const answer = served.get(creationPath(keepKind))?.({ request: creationBy('mona', object) });
    await clock.advance(10_000);
    const { allowed, patch } = objectOf((await answer)?.['response']);
    return [allowed, patch !== undefined];
  };

  test('are its own, and those above that are read', async () => {
    const here = await setup(ofWeb);
    expect(await linked(here, await ofDeployment(here.admin))).toEqual([true, true]);
    expect(await linked(here, pod('other'))).toEqual([true, false]);
  });

  test('end at one of another uid, and at one that does not exist', async () => {
    const here = await setup(ofWeb);
    const { metadata, ...rest } = await ofDeployment(here.admin);
    const [owner] = metadata.ownerReferences ?? [];
    for (const other of [{ uid: 'another' }, { name: 'none' }]) {
      const ownerReferences = [{ ...owner, ...other } as OwnerReference];
      expect(await linked(here, { ...rest, metadata: { ...metadata, ownerReferences } })).toEqual([
        true,
        false,
      ]);
    }
    expect(here.unrecorded).toEqual([]);
  });

  test('end at one that cannot be read, which is counted, and the pod is created', async () => {
    const here = await setup(ofWeb, {
      of: (cluster) => ({
        ...cluster,
        async get() {
          throw new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' });
        },
      }),
    });
    expect(await linked(here, await ofDeployment(here.admin))).toEqual([true, false]);
    expect(here.unrecorded).toEqual(['ReplicaSet shop/web-1']);
  });
});
