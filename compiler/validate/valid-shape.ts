import type { StandingManifest } from '../load/manifest.ts';
import { schemaOf } from './known-fields.ts';
import { withKnownVersion } from './validate.ts';

const known = new WeakMap<StandingManifest, boolean>();

/** Whether an object has a valid shape and valid fields: the rules of its kind read no other. Cached by manifest. */
export function hasValidShape(manifest: StandingManifest): boolean {
  const before = known.get(manifest);
  if (before !== undefined) return before;
  const { type, object } = manifest;
  const isValid =
    schemaOf(type.id).validate(withKnownVersion(manifest)).length === 0 && type.validate(object).length === 0;
  known.set(manifest, isValid);
  return isValid;
}
