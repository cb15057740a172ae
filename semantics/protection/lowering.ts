import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { LoweringRow } from '../kinds/lowering.ts';
import { objectOf } from '../values/read.ts';
import { protectionEffect } from './effect.ts';

/*
 * What becomes of deletion protection without a runtime (`kruise build`): a policy and its binding, by which API servers alone refuse.
 */

/** The policy leaves it out, so that a cluster can be repaired. */
export const EXEMPT_NAMESPACE = 'kube-system';

/** What is lost, by what the label does for an object. */
export const PROTECTION_LOSSES = {
  Children: {
    what: 'delete-protection Cascading of Namespaces and CustomResourceDefinitions',
    instead: 'nothing looks at what is in them, so that they can be deleted',
  },
  Other: {
    what: 'delete-protection of other kinds',
    instead: 'no policy is about them',
  },
  Exempt: {
    what: `delete-protection in the namespace ${EXEMPT_NAMESPACE}, and of itself`,
    instead: 'the policy leaves that namespace out',
  },
  Taken: {
    what: 'delete-protection beside a policy or binding of the same name',
    instead: 'none is written over it, and what is refused is unknown',
  },
} as const satisfies Record<string, LoweringRow>;

/**
 * What an object with the label loses: with a loss it is not protected. Undefined: the label protects nothing.
 *
 * @param object    as it is built
 * @param namespace that it is in
 */
export function protectionLosses(
  object: JsonObject,
  namespace: string | undefined,
  kinds: readonly Kind[],
): LoweringRow[] | undefined {
  const effect = protectionEffect(object, kinds);
  switch (effect.of) {
    case 'NoLabel':
    case 'Typo':
    case 'NoEffect':
      return undefined;
    case 'Free':
      return exemption(object, namespace);
    case 'Refused': {
      if (!effect.isEnforced) return [PROTECTION_LOSSES.Other];
      return [
        ...(effect.while === 'Children' ? [PROTECTION_LOSSES.Children] : []),
        ...exemption(object, namespace),
      ];
    }
  }
}

/** A Namespace counts as one that it is in itself. */
function exemption(object: JsonObject, namespace: string | undefined): LoweringRow[] {
  const { apiVersion, kind, metadata } = object;
  const isNamespace = apiVersion === 'v1' && kind === 'Namespace';
  const own = isNamespace ? objectOf(metadata)['name'] : namespace;
  return own === EXEMPT_NAMESPACE ? [PROTECTION_LOSSES.Exempt] : [];
}
