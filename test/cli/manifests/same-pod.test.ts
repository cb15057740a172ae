import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { kruise } from '../../compiler/world/manifests.ts';
import { isFull } from '../../lanes.ts';
import { randomOf } from '../../random.ts';
import { anySet, one, some } from '../../semantics/sidecarset/arbitrary.ts';
import { injectedPod, nginx, podOf } from '../../semantics/sidecarset/model.ts';

const COUNT = isFull ? 500 : 60;
const NAMESPACE = { name: 'shop', labels: { 'kubernetes.io/metadata.name': 'shop' } };

/** The pod that a controller makes of a template. */
function podFrom(template: unknown): KubeObject {
  const { metadata, spec } = objectOf(template);
  return {
    ...podOf(),
    metadata: { ...objectOf(metadata), name: 'web-1', namespace: 'shop' },
    spec: objectOf(spec),
  };
}

test(
  `the webhook and the build give the same pod: ${COUNT} random pods and sets`,
  { timeout: 300_000 },
  async () => {
    for (let seed = 0; seed < COUNT; seed++) {
      const random = randomOf(seed);
      const sets = [anySet(random, 'p'), anySet(random, 'q')];
      const app = nginx(some(random, { resources: { limits: { cpu: '1' } } }));
      const { spec } = podOf({ containers: [app] }) as unknown as { spec: object };
      const annotations = some(random, { k: '{"y":2}' });
      const template = { metadata: { labels: { app: one(random, 'web', 'web', 'db') }, annotations }, spec };
      const workload = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'shop' },
        spec: { template },
      };
      const files = {
        'head/web.json': JSON.stringify(workload),
        'head/sets.json': JSON.stringify({ kind: 'List', apiVersion: 'v1', items: sets }),
      };
      const { host, code } = await kruise(files, {
        args: ['build', 'head/web.json', 'head/sets.json', '--sidecars'],
      });
      expect({ seed, code, err: host.err.includes('error') }).toEqual({ seed, code: 0, err: false });
      const built = host.out
        .split(/^---\n/m)
        .map((text) => objectOf(parse(text)))
        .find(({ kind }) => kind === 'Deployment');
      const ofBuild = podFrom(objectOf(built?.['spec'])['template']);
      const ofWebhook = injectedPod(sets, { pod: podFrom(template), namespace: NAMESPACE, now: 0 });
      expect(ofBuild, `seed ${seed}`).toEqual(ofWebhook);
      // A cluster with a webhook as well gives that pod, too.
      expect(injectedPod(sets, { pod: ofBuild, namespace: NAMESPACE }), `seed ${seed}`).toEqual(ofWebhook);
    }
  },
);
