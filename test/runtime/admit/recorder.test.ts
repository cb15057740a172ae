import { createVirtualClock } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRecorder } from '../../../runtime/admit/recorder.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { objectOf } from '../../../semantics/values/read.ts';

const stored: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' },
};

/** A recorder of the keys of one status. The server answers each write by `refusal`, if there is one. */
function setup(refusal: (status: JsonObject) => ApiError | undefined) {
  let object = stored;
  let writes = 0;
  const patch = async (...[, , { body }]: Parameters<Cluster['patch']>): Promise<KubeObject> => {
    writes += 1;
    const status = objectOf((body as unknown as JsonObject)['status']);
    const refused = refusal(status);
    if (refused !== undefined) throw refused;
    object = { ...object, status: { ...objectOf(object['status']), ...status } };
    return object;
  };
  const clock = createVirtualClock(0);
  const recorder = createRecorder({
    cluster: { patch, get: async () => object } as unknown as Cluster,
    clock,
    random: () => 0,
    usable: () => true,
  });
  const settle = async (key: string): Promise<string> => {
    const decided = await recorder.settle(
      resources.Pod,
      (newest) => ({ value: key, record: { object: newest(stored) ?? stored, status: { [key]: 1 } } }),
      clock.monotonic() + 2_500,
    );
    return `${key} ${decided.is}`;
  };
  return { settle, status: () => Object.keys(objectOf(object['status'])), writes: () => writes };
}

const error = (code: number): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason: 'x',
    message: 'x',
  } as never);

test.each([422, 403, 500])('a request whose record is refused (%d) takes no other with it', async (code) => {
  const { settle, status } = setup((written) => ('bad' in written ? error(code) : undefined));
  const settled = await Promise.all(['a', 'b', 'bad', 'c', 'd'].map(settle));
  expect(settled).toEqual(['a decided', 'b decided', 'bad failed', 'c decided', 'd decided']);
  expect(status()).toEqual(['a', 'b', 'c', 'd']);
});

test('requests that no server answers are not tried one by one', async () => {
  const { settle, writes } = setup(() => error(503));
  await Promise.all(['a', 'b', 'c', 'd'].map(settle));
  expect(writes()).toBe(2);
});

test('fifty are written at once, so that others are answered between', async () => {
  const { settle, writes } = setup(() => undefined);
  const keys = Array.from({ length: 101 }, (_, n) => `k${n}`);
  expect((await Promise.all(keys.map(settle))).every((each) => each.endsWith(' decided'))).toBe(true);
  expect(writes()).toBe(3);
});
