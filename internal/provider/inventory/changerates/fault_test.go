package changerates_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccChangeRates_badInput(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{StatisticsLevel: 2})
	ids := idsOf(lab)
	var unknown []string
	for i := range 12 {
		unknown = append(unknown, fmt.Sprintf("vm-none-%02d", i))
	}
	refused := func(message string, ids []string, arguments ...string) resource.TestStep {
		argument := "vm_ids"
		if len(arguments) > 0 { // expect the error to refer to the last argument
			argument, _, _ = strings.Cut(arguments[len(arguments)-1], " =")
		}
		return acctest.FailingStep(config(lab, ids, arguments...), `\d: `+argument+` =.*`+regexp.QuoteMeta(message))
	}
	lab.Run(
		t,
		refused("must be at most 1 hour with real-time samples", ids, "interval_seconds = 20", "lookback_hours = 2"),
		refused("must be at least one sample of 86400 seconds (24 hours), got 12", ids, "interval_seconds = 86400",
			"lookback_hours = 12"),
		refused("one of", ids, "interval_seconds = 60"),
		refused("coalescing_factor must be greater than 0 and at most 1, got 0", ids, "coalescing_factor = 0"),
		refused("coalescing_factor must be greater than 0 and at most 1, got 1.1", ids, "coalescing_factor = 1.1"),
		refused("lookback_hours must be greater than 0", ids, "lookback_hours = -1"),
		refused(`one of`, ids, `size_basis = "provisioned"`),
		refused("vm_ids", []string{""}),
		// This is not detected during validation, because the retention period is configured in vCenter.
		refused(`stores the interval "Past Day" (300 seconds) for 24 hours, but 25 hours were requested`, ids,
			"lookback_hours = 25"),
		refused(
			"vm-none-00, vm-none-01, vm-none-02, vm-none-03, vm-none-04, vm-none-05, vm-none-06, vm-none-07, "+
				"vm-none-08, vm-none-09 and 2 more",
			append(unknown, ids...),
		),
	)
}

func TestAccChangeRates_levelTooLow(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{}) // the default statistics level, 1
	message := `(?s)interval_seconds = 1800.*"Past\s+Week"\s+\(1800\s+seconds\)\s+at\s+statistics\s+level\s+1.*` +
		`virtualDisk\.write\.average.*requires\s+level\s+2.*interval_seconds\s+=\s+20`
	lab.Run(t, acctest.FailingStep(config(lab, idsOf(lab), "interval_seconds = 1800"), message), resource.TestStep{
		Config: config(lab, idsOf(lab), "interval_seconds = 20"),
		Check:  measured(lab, lab.VMs(), 180, 1, used),
	})
}

const noPermission = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode>
<faultstring>Permission to perform this operation was denied.</faultstring>
<detail><NoPermissionFault xmlns="urn:vim25" xsi:type="NoPermission">
<object type="VirtualMachine">vm-1</object><privilegeId>System.Read</privilegeId></NoPermissionFault>
</detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`

func TestAccChangeRates_faults(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 24, StatisticsLevel: 2})
	lab.Run(t, resource.TestStep{
		PreConfig: func() {
			lab.Traffic().Break(fault.Rule{
				Kind:   "soap:QueryPerf",
				Status: http.StatusInternalServerError,
				Body:   noPermission,
			})
		},
		Config:      config(lab, idsOf(lab)),
		ExpectError: acctest.ErrorPattern(`Required privileges: System\.View and System\.Read`),
	})
}
