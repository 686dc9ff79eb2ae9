module terraform-provider-vsla/internal/dev/tools/govc

go 1.26.0

require github.com/vmware/govmomi v0.55.1

require (
	github.com/dougm/pretty v0.0.0-20160325215624-add1dbc86daf // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
)
