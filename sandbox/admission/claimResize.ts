import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { refuse } from '../api/errors.ts';
import type { ResourceType } from '../api/registry.ts';
import { thousandths } from '../kinds/quantity.ts';

const size = ['spec', 'resources', 'requests', 'storage'];

/** The admission plugin PersistentVolumeClaimResize: 403 if a claim grows whose class does not allow expansion. */
export function checkClaimResize(
  type: ResourceType,
  { object, before }: { object: KubeObject; before: KubeObject },
  classOf: (name: string) => KubeObject | undefined,
): void {
  const sizeOf = (claim: KubeObject): number => {
    const amount = fieldAt(claim, size);
    return typeof amount === 'string' || typeof amount === 'number' ? thousandths(amount) : 0;
  };
  if (sizeOf(object) <= sizeOf(before)) return;
  const name = fieldAt(before, ['spec', 'storageClassName']);
  const storageClass = typeof name === 'string' && name !== '' ? classOf(name) : undefined;
  if (storageClass?.['allowVolumeExpansion'] === true) return;
  throw refuse.forbidden(
    type,
    object.metadata.name,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
}
