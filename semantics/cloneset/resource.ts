import type { Resource } from '../../schemas/wire/cluster.ts';

export const cloneSetResource: Resource = {
  group: 'apps.kruise.io',
  version: 'v1beta1',
  plural: 'clonesets',
  kind: 'CloneSet',
  namespaced: true,
};
