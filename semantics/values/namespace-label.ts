/** The label that holds the name of a namespace; the API server sets it. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';
