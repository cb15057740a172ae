import { expect } from 'vitest';
import { suite, type Kubectl, type StoredObject } from './suite.ts';

const revision = (data: object) => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'r' },
  revision: 1,
  data,
});

const workload = (kind: string) => `apiVersion: apps/v1
kind: ${kind}
metadata:
  name: web
spec:
  ${kind === 'StatefulSet' ? 'replicas: 0' : 'minReadySeconds: 0'}
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      nodeSelector: { kubernetes.io/hostname: nowhere }
      containers:
        - name: main
          image: example.com/web:1
`;

const pathOf = ({ namespace }: Kubectl) => `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;

/** What a request was refused with. */
async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    const { message, code } = JSON.parse(/\{.*/s.exec(String(error))?.[0] ?? '{}') as Record<string, unknown>;
    return `${String(code)}: ${String(message)}`;
  }
  throw new Error('the request was not refused');
}

async function revisionsOf(k: Kubectl): Promise<Revision[]> {
  const { items } = (await k.server.rest('GET', pathOf(k))) as { items: Revision[] };
  return items.sort((a, b) => Number(a['revision']) - Number(b['revision']));
}

type Revision = StoredObject & { metadata: { ownerReferences?: { name: string }[] } };

/** The revisions, once this holds for them; after five seconds those that there are. */
async function until(k: Kubectl, holds: (revisions: readonly Revision[]) => boolean): Promise<Revision[]> {
  for (let trial = 0; trial < 50; trial += 1) {
    const found = await revisionsOf(k);
    if (holds(found)) return found;
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return revisionsOf(k);
}

/** The revisions, once there are so many that all have owners. */
const settled = async (k: Kubectl, count: number) =>
  until(
    k,
    (all) => all.length >= count && all.every(({ metadata }) => metadata.ownerReferences !== undefined),
  );

function ownedBy({ metadata, ...fields }: Revision): string {
  return `${metadata.name} ${String(fields['revision'])} ${metadata.ownerReferences?.[0]?.name ?? 'none'}`;
}

/** A value with the fields of each object in the opposite order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const entries = Object.entries(value).map(([key, each]) => [key, reversed(each)] as const);
  return Object.fromEntries(entries.reverse());
}

/** Puts a revision with the data of the only one of a workload, which is removed, and makes the workload anew. */
async function overAnother(
  k: Kubectl,
  kind: string,
  change: (data: unknown) => unknown,
): Promise<Revision[]> {
  await k.run('create -f -', workload(kind));
  const [own] = await settled(k, 1);
  await k.run(`delete ${kind.toLowerCase()} web --cascade=orphan`);
  await k.server.rest('DELETE', `${pathOf(k)}/${own?.metadata.name}`);
  await putAnother(k, own, change, {});
  await k.run('create -f -', workload(kind));
  return settled(k, 1);
}

/** Makes a revision of the same data, perhaps in another order. */
async function putAnother(
  { server, ...k }: Kubectl,
  own: Revision | undefined,
  change: (data: unknown) => unknown,
  fields: object,
): Promise<void> {
  if (own === undefined) throw new Error('there is no revision');
  const { metadata, ...rest } = own;
  await server.rest('POST', pathOf({ server, ...k }), {
    ...rest,
    metadata: { name: 'of-another', labels: metadata.labels, ...fields },
    data: change(rest.data),
    revision: 5,
  });
}

suite(
  'revisions',
  (test) => {
    test('the data of a ControllerRevision are bytes: whole, and in their order', async (k) => {
      await k.server.rest('POST', pathOf(k), revision({ spec: { b: 1, a: { y: [1, 2], x: 'z' } } }));
      const { metadata, ...stored } = await k.stored('controllerrevisions/r', 'apps/v1');
      expect(metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([
        { 'f:data': {}, 'f:revision': {} },
      ]);
      expect(JSON.stringify(stored['data'])).toBe('{"spec":{"b":1,"a":{"y":[1,2],"x":"z"}}}');
      const own = `${pathOf(k)}/r`;
      const other = revision({ spec: { a: { y: [1, 2], x: 'z' }, b: 1 } });
      expect(await refusal(k.server.rest('PUT', own, other))).toMatchInlineSnapshot(
        `422: ControllerRevision.apps "r" is invalid: data: Invalid value: {"spec":{"a":{"y":[1,2],"x":"z"},"b":1}}: field is immutable`,
      );
      const strategic = 'application/strategic-merge-patch+json';
      expect(
        await refusal(k.server.rest('PATCH', own, { data: { spec: { b: 2 } } }, strategic)),
      ).toMatchInlineSnapshot(
        `500: unable to find api field in struct RawExtension for the json field "spec"`,
      );
      expect(
        await refusal(k.server.rest('PATCH', own, { data: null }, 'application/merge-patch+json')),
      ).toMatchInlineSnapshot(
        `422: ControllerRevision.apps "r" is invalid: data: Invalid value: null: field is immutable`,
      );
      await k.server.rest('PUT', own, revision({ spec: { b: 1, a: { y: [1, 2], x: 'z' } } }));
    });

    for (const kind of ['StatefulSet', 'DaemonSet']) {
      test(`a ${kind} adopts a revision of the same bytes, and waits for ever at another order`, async (k) => {
        const same = await overAnother(k, kind, (data) => data);
        expect(same.map(ownedBy)).toEqual(['of-another 5 web']);
        await k.run(`delete ${kind.toLowerCase()} web --cascade=orphan`);
        await k.server.rest('DELETE', `${pathOf(k)}/of-another`);
        const other = await overAnother(k, kind, reversed);
        expect(other.map(ownedBy)).toEqual(['of-another 5 none']);
      });

      test(`a ${kind} finds its revision by its bytes`, async (k) => {
        await k.run('create -f -', workload(kind));
        const [own] = await settled(k, 1);
        const ownerReferences = own?.metadata.ownerReferences;
        await putAnother(k, own, reversed, { ownerReferences });
        await k.run(`annotate ${kind.toLowerCase()} web look=again`);
        const found = await until(k, (each) => each.some(({ revision: at }) => at === 6));
        expect(found.map(ownedBy)).toEqual(['of-another 5 web', `${own?.metadata.name} 6 web`]);
      });
    }
  },
  { workloads: true },
);
