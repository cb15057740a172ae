package main

import (
	"encoding/base64"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// printBodies prints what is sent to create each object: its path, and its bytes in base64.
func printBodies(namespace string) {
	client, err := kubernetes.NewForConfig(&rest.Config{})
	must("make a client", err)
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	for _, each := range objects(client, namespace) {
		kinds, _, err := scheme.Scheme.ObjectKinds(each.object)
		must("find the kind", err)
		encoder := scheme.Codecs.EncoderForVersion(info.Serializer, kinds[0].GroupVersion())
		bytes, err := runtime.Encode(encoder, each.object)
		must("encode "+each.resource, err)
		url := each.client.Post().NamespaceIfScoped(namespace, !each.cluster).Resource(each.resource).URL()
		fmt.Println(url.Path, base64.StdEncoding.EncodeToString(bytes))
	}
}
