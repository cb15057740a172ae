import type { Kind } from '../../../semantics/kinds/kind.ts';
import { registered as withRacks } from '../registered.ts';
import { rationKind } from './kind.ts';

/** What stands in for `semantics/registry/registered.ts`: beside the others, one that limits them. */
export const registered: readonly Kind[] = [...withRacks, rationKind];
