import type { JsonObject } from '../../schemas/wire/json.ts';
import { type Classification, type ClassifiedField, classify } from '../template/classify.ts';
import { mostDisruptive } from '../template/mode.ts';
import { listOf, objectOf } from '../values/read.ts';
import { differInImagesAlone } from './content.ts';
import { injectableOf } from './normalize.ts';

/** What only new pods get: no running pod is changed for it (OpenKruise sidecarset, rules 5.6 and 6.9). */
const FOR_NEW_PODS = /^spec\.(volumes|imagePullSecrets|patchPodMetadata)\b/;
const INIT = /^spec\.initContainers\b/;
const PULL_POLICY = /\.imagePullPolicy$/;

/**
 * What a change of the content of a set does to its pods: images change in place, and what only new pods get changes nothing. Any
 * other change takes new pods, which the set never makes: running ones stay as they are.
 */
export function classifyContent(from: JsonObject, to: JsonObject): Classification {
  const { fields } = classify(from, to, { policy: 'InPlaceIfPossible' });
  const isInPlace = differInImagesAlone(from, to);
  const areInits = ![from, to].some(hasNative);
  const hotImages = new Set(
    injectableOf(objectOf(to['spec'])).containers.flatMap(({ name, emptyImage }) =>
      emptyImage === undefined ? [] : [`spec.containers[${name}].image`],
    ),
  );
  const judged = fields.map((found): ClassifiedField => {
    // A set has these fields in its spec itself.
    const field = { ...found, path: found.path.replace(/^template\./, '') };
    const { path } = field;
    if (FOR_NEW_PODS.test(path) || (areInits && INIT.test(path)))
      return {
        ...field,
        effect: 'MetadataOnly',
        reason: 'only new pods get it',
        rule: 'OpenKruise sidecarset, rule 6.9',
      };
    if (isInPlace && hotImages.has(path))
      return {
        ...field,
        reason: 'the idle container gets it and takes over; then the other one gets the empty image',
        rule: 'OpenKruise sidecarset, rule 6.10',
      };
    if (isInPlace && PULL_POLICY.test(path))
      return {
        ...field,
        effect: 'MetadataOnly',
        reason: 'it follows from the tag, and running pods keep theirs',
        rule: 'OpenKruise sidecarset, rule 6.9',
      };
    if (isInPlace || field.effect === 'MetadataOnly') return field;
    const reason = field.effect === 'InPlace' ? 'it comes with what only new pods get' : field.reason;
    return { ...field, effect: 'NewPodsOnly', reason, rule: 'OpenKruise sidecarset, rule 6.8' };
  });
  return { mode: mostDisruptive(judged.map(({ effect }) => effect)), fields: judged };
}

function hasNative(content: JsonObject): boolean {
  return listOf(objectOf(content['spec'])['initContainers']).some(
    ({ restartPolicy }) => restartPolicy === 'Always',
  );
}
