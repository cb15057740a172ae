import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const withClaim = (parts: Parameters<typeof cloneSet>[0] & { scaling?: string } = {}): string => {
  const claims =
    '  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {accessModes: [ReadWriteOnce]}';
  const scaling = parts.scaling === undefined ? '' : `\n  scaleStrategy: {${parts.scaling}}`;
  return cloneSet({ spec: `${claims}${scaling}`, ...parts });
};
const byHand = {
  apiVersion: 'apps.kruise.io/v1beta1',
  type: 'OnDelete',
  scaling: 'enablePVCReuse: false',
};

/** What is said of volume claims. */
export const claimCases: readonly Case[] = [
  {
    what: 'claim template',
    base: cloneSet(),
    head: withClaim(),
    expected: ['KR2119 head/web.yaml:12:3'],
  },
  {
    what: 'pods with claims recreated',
    base: withClaim(),
    head: withClaim({ pod: '      hostNetwork: true' }),
    expected: ['KR2140 head/web.yaml:15:3'],
  },
  {
    what: 'pods with claims scaled in',
    base: withClaim(),
    head: withClaim({ replicas: 8 }),
    expected: ['KR2141 head/web.yaml:7:13'],
  },
  {
    what: 'a pod with claims named to go',
    base: withClaim({ scaling: 'podsToDelete: [web-a]' }),
    head: withClaim({ scaling: 'podsToDelete: [web-a, web-b]' }),
    expected: ['KR2131 head/web.yaml:15:34', 'KR2142 head/web.yaml:15:41'],
  },
  {
    what: 'pods with claims that people delete',
    base: withClaim(byHand),
    head: withClaim({ ...byHand, image: 'nginx:1.27' }),
    expected: ['KR2143 head/web.yaml:15:35'],
  },
  {
    what: 'claims not taken over any more',
    base: withClaim(),
    head: withClaim({ scaling: 'disablePVCReuse: true' }),
    expected: ['KR2144 head/web.yaml:15:36'],
  },
];
