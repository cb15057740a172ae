/** What kustomize appends to the name of a generated object: ten letters of a hash, written without vowels. */
const GENERATED = /^(.+)-[2456789bcdfghkmt]{10}$/;

/** The name that a generator was given for an object; undefined: it has made none of this name. */
export function generatedStem(name: string): string | undefined {
  return GENERATED.exec(name)?.[1];
}
