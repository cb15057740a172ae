import { expect, test } from 'vitest';
import type { GitPods, GitWorkload } from '../../compiler/load/git-pods.ts';
import type { StandingManifest } from '../../compiler/load/manifest.ts';
import type { Protected } from '../../compiler/validate/disruption-rules.ts';
import { influencesInGit } from '../../compiler/validate/influence-rules.ts';
import { resources } from '../../schemas/wire/resources.ts';

const MANY = Array.from({ length: 30 }, (_, index) => `shop-${index}`);

/** How often objects of a kind are read, and workloads in git. */
function counted() {
  const counts = { objects: 0, workloads: 0 };
  const covers = () => {
    counts.objects += 1;
    return () => true;
  };
  const { PodUnavailableBudget: resource } = resources;
  const { group, version } = resource;
  const kind = 'PodUnavailableBudget';
  const versions = [version];
  const type = { id: { group, kind }, versions, influence: { git: { covers } }, validate: () => [] };
  const standing = MANY.map((namespace) => {
    const apiVersion = `${group}/${version}`;
    const spec = { selector: { matchLabels: {} }, maxUnavailable: 1 };
    const object = { apiVersion, kind, metadata: { name: 'web', namespace }, spec };
    return { type, namespace, object } as unknown as StandingManifest;
  });
  const targets = MANY.map(
    (namespace) =>
      ({
        manifest: { type: { id: { group: 'test.example', kind: 'Web' } }, name: 'web', namespace },
        normal: { units: { of: 'replicas', n: 2 }, template: {} },
      }) as unknown as Protected,
  );
  const workloads = MANY.map((namespace): GitWorkload => ({
    id: namespace,
    group: 'apps',
    kind: 'Deployment',
    get namespace() {
      counts.workloads += 1;
      return namespace;
    },
    name: 'api',
    templates: [{ labels: {}, path: [], content: '', reads: [], containers: [], volumes: [] }],
    pods: 3,
  }));
  const gitPods = (): GitPods => ({ workloads, namespaces: new Map() });
  return { counts, found: influencesInGit(standing, targets, gitPods) };
}

test('each object is read once, and each workload in git, however many objects there are', () => {
  const { counts, found } = counted();
  expect(found.map(({ covered, pods }) => [covered.map((each) => each.manifest.namespace), pods])).toEqual(
    MANY.map((namespace) => [[namespace], 5]),
  );
  expect(counts).toEqual({ objects: MANY.length, workloads: MANY.length });
});
