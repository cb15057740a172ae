import { cloneSetKind } from '../cloneset/kind.ts';
import type { Kind } from './kind.ts';

/** The one list of kinds, a line each. Everything that depends on the kinds there are follows from it, by `registry.ts`. */
export const registered: readonly Kind[] = [cloneSetKind];
