import type { World } from '../../sandbox/world.ts';

/** A class that gives every claim its volume at once. */
export function makeClass(world: World): void {
  world.server.create(
    'user',
    { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'disk', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/disk',
      volumeBindingMode: 'Immediate',
    },
  );
}
