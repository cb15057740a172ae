import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { pullPolicyByTag } from './canonical.ts';

/**
 * A template whose containers have the pull policy that Kubernetes gives them by the tags of their images: OpenKruise takes a missing
 * one as Always, so that only other ones are written.
 *
 * @param isMeant the containers that get one, by name; default: all
 */
export function withPullPolicies(
  template: JsonObject,
  isMeant: (name: string) => boolean = () => true,
): JsonObject {
  const pod = objectOf(template['spec']);
  const containers = listOf(pod['containers']).map((container): JsonObject => {
    const policy = pullPolicyByTag(container['image']);
    const isSet = container['imagePullPolicy'] !== undefined && container['imagePullPolicy'] !== null;
    if (isSet || policy === 'Always' || !isMeant(textOf(container['name']))) return container;
    const { imagePullPolicy: _, ...own } = container;
    return Object.fromEntries(
      Object.entries(own).flatMap(([key, value]): [string, Json][] =>
        key === 'image'
          ? [
              [key, value],
              ['imagePullPolicy', policy],
            ]
          : [[key, value]],
      ),
    );
  });
  return { ...template, spec: { ...pod, containers } };
}
