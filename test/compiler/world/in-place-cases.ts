import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const annotated = (annotation: string, manifest: string): string =>
  manifest.replace('  namespace: shop', `  namespace: shop\n  annotations: {${annotation}: "true"}`);

const sized = (memory: string): string =>
  annotated(
    'plan.kruise.io/resize-in-place',
    cloneSet({ container: `        resources: {limits: {memory: ${memory}}}` }),
  );
const assumed = (version: string): Record<string, string> => ({
  'head/kruise.yaml': `assume: {kubernetes: "${version}"}\n`,
});

const withClaim = (storage: string, image: string, more = ''): string =>
  annotated(
    'plan.kruise.io/recreate-for-claims',
    cloneSet({
      image,
      spec: `${more}  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${storage}}}}`,
    }),
  );

/** What annotations of a target make of a change: resized in place, or recreated for its claims. */
export const inPlaceCases: readonly Case[] = [
  { what: 'a resize in place', base: sized('1Gi'), head: sized('2Gi'), expected: [] },
  {
    what: 'a resize in place on the oldest Kubernetes that makes it',
    base: sized('1Gi'),
    head: sized('2Gi'),
    files: assumed('1.33'),
    expected: [],
  },
  {
    what: 'a resize in place on an older Kubernetes',
    base: sized('1Gi'),
    head: sized('2Gi'),
    files: assumed('1.32'),
    expected: ['KR2188 head/web.yaml:20:38'],
  },
  {
    what: 'a lower memory limit before Kubernetes 1.34',
    base: sized('2Gi'),
    head: sized('1Gi'),
    files: assumed('1.33'),
    expected: ['KR2188 head/web.yaml:20:38'],
  },
  {
    what: 'a lower memory limit from Kubernetes 1.34 on',
    base: sized('2Gi'),
    head: sized('1Gi'),
    files: assumed('1.34'),
    expected: [],
  },
  {
    what: 'a version that is none',
    base: sized('2Gi'),
    head: sized('2Gi'),
    files: assumed('2'),
    expected: ['KR2005 head/kruise.yaml:1:22'],
  },
  {
    what: 'other claim templates with another image, for which pods are recreated',
    base: withClaim('1Gi', 'nginx:1.25'),
    head: withClaim('2Gi', 'nginx:1.27'),
    expected: ['KR2138 head/web.yaml:13:3', 'KR2140 head/web.yaml:16:3'],
  },
  {
    what: 'other claim templates alone, which recreate nothing',
    base: withClaim('1Gi', 'nginx:1.25'),
    head: withClaim('2Gi', 'nginx:1.25'),
    expected: ['KR2119 head/web.yaml:13:3'],
  },
];
