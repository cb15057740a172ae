import { remembered } from '../../semantics/values/remembered.ts';
import type { StandingManifest } from '../load/manifest.ts';
import { schemaOf } from './known-fields.ts';
import { withKnownVersion } from './validate.ts';

/** Whether an object has a valid shape and valid fields: the rules of its kind read no other. Cached by manifest. */
export const hasValidShape = remembered((manifest: StandingManifest): boolean => {
  const { type, object } = manifest;
  const isValid =
    schemaOf(type.id).validate(withKnownVersion(manifest)).length === 0 && type.validate(object).length === 0;
  return isValid;
});
