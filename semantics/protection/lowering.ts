import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { LoweringRow } from '../kinds/lowering.ts';
import { protectionEffect } from './effect.ts';

/*
 * What becomes of deletion protection without a runtime (`kruise build`): a policy and its binding, by which API servers alone refuse.
 */

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
} as const satisfies Record<string, LoweringRow>;

/** What an object with the label loses; undefined: the label protects nothing. */
export function protectionLosses(object: JsonObject, kinds: readonly Kind[]): LoweringRow[] | undefined {
  const effect = protectionEffect(object, kinds);
  switch (effect.of) {
    case 'NoLabel':
    case 'Typo':
    case 'NoEffect':
      return undefined;
    case 'Free':
      return [];
    case 'Refused': {
      if (!effect.isEnforced) return [PROTECTION_LOSSES.Other];
      return effect.while === 'Children' ? [PROTECTION_LOSSES.Children] : [];
    }
  }
}
