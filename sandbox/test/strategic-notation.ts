import { shapeOf } from '../kinds/shapes.ts';

export const podShape = shapeOf('', 'v1', 'Pod');

/**
 * Notation for a Pod's containers, finalizers and the rest of its spec: `a=1` is a container of that name and
 * image.
 */
export interface Short {
  containers?: string;
  finalizers?: string;
  spec?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
}

export function items(text: string): Record<string, string>[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word): Record<string, string> => {
      const [name = '', image] = word.split('=');
      if (image === 'delete') return { name, $patch: 'delete' };
      return image === undefined ? { name } : { name, image };
    });
}

export function written({ containers, finalizers, spec, metadata }: Short): Record<string, unknown> {
  return {
    metadata: { ...metadata, ...(finalizers === undefined ? {} : { finalizers: finalizers.split(' ') }) },
    spec: { ...spec, ...(containers === undefined ? {} : { containers: items(containers) }) },
  };
}

export const order = (text: string) => ({ '$setElementOrder/containers': items(text) });

export const abc = { containers: 'a=1 b=1 c=1' };
