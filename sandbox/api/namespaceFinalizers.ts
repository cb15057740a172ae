import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { qualifiedNameFaults } from '../../schemas/pods/names.ts';

/** The finalizers of a namespace: `spec.finalizers`. */
export function namespaceFinalizers(namespace: KubeObject): string[] {
  const finalizers = fieldAt(namespace, ['spec', 'finalizers']);
  return Array.isArray(finalizers) ? finalizers.map(String) : [];
}

/** The namespace with the given finalizers. */
export function withFinalizers(namespace: KubeObject, finalizers: readonly string[]): KubeObject {
  return { ...namespace, spec: finalizers.length === 0 ? {} : { finalizers: [...finalizers] } };
}

/** Errors of namespace finalizers, which need a domain. */
export function checkNamespaceFinalizers(namespace: KubeObject): FieldError[] {
  return namespaceFinalizers(namespace).flatMap((name, index) => {
    const path = `spec.finalizers[${index}]`;
    const faults = qualifiedNameFaults(name);
    if (faults.length > 0) return faults.map((fault) => field.invalid(path, name, fault));
    return name.includes('/') || name === 'kubernetes'
      ? []
      : [field.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}
